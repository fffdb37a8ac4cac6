"""What several rooms' tests share: the course as installed, and as it ships."""

import pytest
from starlette.testclient import TestClient

from app.catalogue import find_lessons
from app.main import create_app
from app.models import Models
from app.settings import ROOT, Settings


@pytest.fixture(scope="session")
def lessons():
    return find_lessons(ROOT / "lessons")


@pytest.fixture(scope="session")
def models():
    return Models.from_settings(Settings())


@pytest.fixture(scope="session")
def small_models():
    return Models(None)


@pytest.fixture(scope="session")
def client():
    return TestClient(create_app(Settings()), raise_server_exceptions=False)


@pytest.fixture(scope="session")
def small_client():
    return TestClient(create_app(Settings(models="small")), raise_server_exceptions=False)
