// What it precompiles is all that there is to it.
