-- A robot whose driver is outside of the tree: cart.so beside this file, made of cart.c.
return {
  name = "cart",
  model = "a cart with a driver of its own",
  base = { driver = "cart" },
  drivers = { cart = { driver = "./cart.so", top = 0.5 } },
  commands = { "stop", "set_speed" },
}
