"""The settings: one frozen table, read once from the environment, passed on from there."""

import os
import sys
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent
# More workers than this serve no class faster, and each holds about 150 MB of its own.
MOST_WORKERS = 4


def default_workers() -> int:
    """Give every core one worker process, up to four."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(2)
    return min(MOST_WORKERS, len(usable))


class Settings(BaseSettings):
    """What can be set from outside; each name in capitals is an environment variable."""

    model_config = SettingsConfigDict(frozen=True, env_ignore_empty=True)

    host: str = Field("127.0.0.1", description="Address to listen on; 0.0.0.0 is every network.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on.")
    workers: int = Field(
        default_factory=default_workers,
        ge=1,
        le=64,
        description="Server processes; the default is one a core, four at most.",
    )
    models: Literal["full", "small"] = Field(
        "full", description="`full` uses every installed model, `small` only those that ship."
    )
    models_dir: Path = Field(
        ROOT / "models" / "downloaded",
        description="Folder of downloaded models and of your own checkpoints.",
    )
    public_address: str = Field(
        "",
        pattern=r"^(https?://[^\s/]+)?$",
        description="Start of the addresses under Link and Embed, such as https://course.example; "
        "empty: as the browser asked.",
    )
    max_characters: int = Field(
        2000, ge=1, le=20_000, description="Longest text that is looked at at all."
    )
    course_language: str = Field("en", description="Language of the pages; `en` ships.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning",
        description="How much the server says; `info` tells each start, `debug` each request.",
    )


def read_settings() -> Settings:
    """Read the settings, or end the program with a line that names what cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        faults = error.errors()
    sys.exit("\n".join(f"{str(f['loc'][0]).upper()}={f['input']}: {f['msg']}." for f in faults))
