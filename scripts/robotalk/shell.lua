-- Commands of the shell: paths in them, the programs that are there, folders.
local shell = {}

---A path as one word of a command.
function shell.quoted(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

---Whether there is a program of that name.
function shell.has(program) return os.execute(("command -v %s >/dev/null 2>&1"):format(program)) == true end

---Makes a folder, with its parents, unless it exists: true; nil, message, code. mode: its permissions, in octal digits.
function shell.make_folder(path, mode)
  local pipe = assert(io.popen(("LC_ALL=C mkdir -p %s -- %s 2>&1"):format(mode and "-m " .. mode or "",
    shell.quoted(path))))
  local said = pipe:read "a"
  if pipe:close() then return true end
  return nil, ("%s: %s"):format(path, said:match ": ([^:\n]+)\n*$" or "no folder can be made"), "ESYSTEM"
end

---Removes a file, or a folder with its contents.
function shell.remove(path) os.execute("rm -rf -- " .. shell.quoted(path)) end

return shell
