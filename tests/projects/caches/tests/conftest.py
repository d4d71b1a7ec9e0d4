import pytest

from shop import wide


def pytest_sessionstart(session):
    session.config.grown_at_start = wide.in_session_start(18)


@pytest.fixture(scope="session")
def in_session():
    return wide.in_session(18)


@pytest.fixture(scope="package")
def in_package():
    return wide.in_package(18)


@pytest.fixture(scope="session", autouse=True)
def for_everything():
    return {"grown": wide.for_everything(18)}


@pytest.fixture(scope="module", params=[17, 18])
def by_parameter(request):
    return request.param, wide.by_parameter(request.param)


def wanted(fixture_name, config):
    return "module"


@pytest.fixture(scope=wanted)
def chosen_anew():
    return wide.chosen_anew(18)
