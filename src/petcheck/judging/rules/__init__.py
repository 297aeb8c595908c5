"""One rule for every requirement that a run judges; about one module for each section of the document."""

from __future__ import annotations

from petcheck.judging.rules import (
    authentication,
    bodies,
    create_pet,
    created_pets_on_pages,
    created_pets_read,
    errors,
    filters,
    get_pet,
    list_pets,
    page_sizes,
    rate_limit,
    store_orders,
    versioning,
)

RULES = (
    *bodies.RULES,
    *list_pets.RULES,
    *page_sizes.RULES,
    *filters.RULES,
    *create_pet.RULES,
    *created_pets_read.RULES,
    *created_pets_on_pages.RULES,
    *get_pet.RULES,
    *store_orders.RULES,
    *authentication.RULES,
    *errors.RULES,
    *rate_limit.RULES,
    *versioning.RULES,
)
RULE = {rule.requirement: rule for rule in RULES}
