return { summary = "", usage = "", options = {}, example = "", main = function() return 0 end }
