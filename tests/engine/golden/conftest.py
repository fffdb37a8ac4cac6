"""The scripts that make reference arrays need PyTorch; they are no tests."""

collect_ignore_glob = ["*_make.py"]
