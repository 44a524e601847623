"""The fixtures of pytest, which finds them when the package is installed."""

import pytest

from . import testing


@pytest.fixture(scope="session")
def windlass_server():
    """One server for all tests of a session, on a hollow node."""
    with testing.cluster() as cluster:
        yield cluster


@pytest.fixture
def windlass_cluster(monkeypatch):
    """A server of its own for the test, on a hollow node; $KUBECONFIG names it."""
    with testing.cluster() as cluster:
        monkeypatch.setenv("KUBECONFIG", cluster.kubeconfig)
        yield cluster
