"""Does a folder of reports prove what it says?"""
