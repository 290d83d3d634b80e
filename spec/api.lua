return { classes = { { name = "robotalk", var = "robotalk", doc = "The module." } } }
