"""The placement analysis: an abstract interpreter that follows where values live."""
