"""What a run asks, as data: cells of the document's tables, and the seed that draws among them."""
