# What pip would tell pytest.
pytest_plugins = ["windlass.pytest_plugin"]
