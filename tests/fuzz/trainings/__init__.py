"""Programs that train, put together from what people write: right or wrong, running them says."""
