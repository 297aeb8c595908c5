pytest_plugins = ("petcheck.plugin",)
