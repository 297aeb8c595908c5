pytest_plugins = ("petcheck.runner.plugin",)
