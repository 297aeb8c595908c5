"""The outputs: result.json, which holds everything, and the views of it for people and for CI."""
