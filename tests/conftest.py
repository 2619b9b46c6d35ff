"""The order of the tests."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The notebooks first: they take longest, and would leave one process waiting for the other at the end."""
    items.sort(key=lambda item: "test_notebooks" not in item.nodeid)
