"""Makes a Debian package out of the environment that felt was tested in: ``make deb``."""
