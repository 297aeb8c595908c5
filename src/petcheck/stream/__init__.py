"""The run as a stream: written while it lasts, read strictly, as a HAR, and from traffic of other programs."""
