"""What can go wrong with a model; every message says what to do.

ModelError
├── BrokenModel    a folder does not hold what its kind of model needs
├── UnknownModel   no installed model of that role has this name
├── NotInstalled   no model of that role is installed at all
└── FetchFailed    a download could not be made, or is not what it should be
"""


class ModelError(Exception):
    """Something about a model that its owner can mend; the message says how."""


class BrokenModel(ModelError):
    """A folder does not hold what its kind of model needs."""


class UnknownModel(ModelError):
    """No installed model of that role has this name."""


class NotInstalled(ModelError):
    """No model of that role is installed."""


class FetchFailed(ModelError):
    """A download could not be made, or is not what it should be."""
