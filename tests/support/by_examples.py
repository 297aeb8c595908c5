"""Faults that a default run finds; a run without property examples may miss them, since it sends fewer requests."""

from __future__ import annotations

_NAMES = """
newest-not-found no-content-type-crashes body-as-text-crashes no-content-type-accepted limit-zero-gives-all
negative-limit-cuts-end negative-limit-gives-all
no-scheme-needed@getPet no-scheme-needed@storeOrders basic-accepted@storeOrders token-accepted@createPet
filter-never-shows-new crash-on-limit-text crash-on-negative-limit crash-on-limit-zero crash-on-limit-101
crash-on-unknown-filter crash-on-id-text crash-on-id-beyond-int64 gzip-falsely-announced@listPets
gzip-falsely-announced@createPet gzip-falsely-announced@getPet created-not-listed created-overwrites-old
get-shows-old-state get-id-wraps-at-32-bits rate-headers-constant limit-equals-remaining retry-after-unix-time
key-of-same-form key-of-same-form@listPets key-of-same-form@createPet key-of-same-form@getPet
key-of-same-form@storeOrders key-last-character-ignored key-last-character-ignored@listPets
key-last-character-ignored@createPet key-last-character-ignored@getPet key-last-character-ignored@storeOrders
scheme-cut-off basic-accepted@createPet basic-accepted@getPet token-accepted@listPets token-accepted@storeOrders
invalid-key-after-body@createPet invalid-key-after-lookup@getPet invalid-key-after-limit@listPets
filter-before-key@listPets stored-though-401-oldest-first shared-cache-skips-key filtered-list-without-key
limit-100-with-available-refused limit-100-with-sold-refused no-limit-with-available-refused
no-limit-with-pending-refused no-limit-with-sold-refused limit-100-with-available-unfiltered
limit-100-with-available-unlimited limit-100-with-sold-unfiltered no-limit-with-available-unfiltered
no-limit-with-available-unlimited no-limit-with-pending-unfiltered no-limit-with-pending-unlimited
no-limit-with-sold-unfiltered no-limit-with-sold-unlimited no-match-gives-all no-match-404 no-match-null
list-stale-for-a-minute status-empty-accepted status-padded-accepted status-before-newline-accepted
list-as-status-crashes status-first-dropped third-category-refused id-0-200-list
created-without-status-not-stored field-names-in-any-case-accepted json-in-string-accepted
created-name-leading-blanks-lost nul-crashes filter-available-by-default
control-character-crashes extra-field-crashes get-cached-as-text unknown-parameter-crashes
limit-1-with-sold-refused limit-20-with-available-refused limit-1-with-sold-unfiltered
limit-1-with-sold-unlimited limit-20-with-available-unfiltered limit-20-with-available-unlimited
get-404-after-first-read limit-text-gives-all 501-on-limit-text created-id-off-by-one get-other-status
limit-not-in-menu-refused short-names-refused name-0-refused name-taken-409 digits-as-name-become-number
refused-post-rolls-back id-not-found-stays-404 category-fraction-stored-as-is read-name-escaped
read-category-off-by-one get-name-escaped listed-name-escaped
stored-name-escaped filter-before-limit-ignored sold-not-found read-status-lost
created-vanishes-after-25-requests unknown-positive-id-crashes long-number-crashes category-id-wins
created-name-noncharacter-replaced widest-page-never-new
name-upserted name-replaces-old fields-taken-from-query bracket-parameter-crashes
"""

BY_EXAMPLES = frozenset(_NAMES.split())
