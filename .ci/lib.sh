# Sourced by run and test: which Debian packages they need, how missing ones are installed, and how a
# build folder is set up. A library that the program starts to use gets its line here and in
# CMakeLists.txt.

build_packages=(
    gcc g++ libc6-dev     # g++ for the benchmarks only
    cmake ninja-build pkg-config
    lua5.4 liblua5.4-dev  # the interpreter runs the generators
    libev-dev
    libwslay-dev          # frames of WebSockets
    libedit-dev           # the prompt; as of the next two its headers, the program loads the library when it needs it
    libexpat1-dev         # URDF
    libssl-dev            # TLS
    libjpeg-dev           # pictures; the library is loaded by who looks at one
    zlib1g-dev            # files of VRML97 that gzip has compressed, and PNG; likewise
    libgif-dev            # films; likewise
    libmujoco-dev         # physics; likewise
    cyclonedds-dev        # fleets on DDS; likewise
)
test_packages=(
    clang libclang-rt-14-dev  # libFuzzer
    clang-format cppcheck lua-check
    libcmocka-dev luajit luarocks
    liborocos-kdl-dev     # to measure kinematics against
    libeigen3-dev         # likewise
    curl                  # the greeting of RCTP, by a program that is not ours
    netcat-openbsd        # lines of Gamebots, likewise
    lintian mmdebstrap    # .ci/packages
    valgrind              # whether anything is read that was never written
    python3-numpy python3-venv # bindings/python
    swi-prolog-nox        # bindings/prolog, and to measure Golog against
    view3dscene           # tovrmlx3d reads what is written as RCML
    chromium              # likewise: X_ITE in it, which comes by npm
    prometheus            # scrapes a server once
    cyclonedds-tools      # ddsperf, to measure dds:// against
    libfastrtps-dev fastddsgen # another vendor's DDS, which reads and drives nodes of ROS 2
)
# not needed, and large: ./run asks once whether to install these
offered_packages=(
    libegl1 libgl1-mesa-dri # pictures of a physics world: OpenGL without a screen, 163 MB
)
test_packages+=("${offered_packages[@]}")
command -v npm >/dev/null || test_packages+=(npm) # some have it from elsewhere, and Debian's would replace that

say() { printf '%s\n' "$*" >&2; } # stdout belongs to the program

# Prints those of the packages that are not installed. No network, a few hundredths of a second.
missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
    for package in "$@"; do
        grep -qxF "$package installed" <<<"$installed" || echo "$package"
    done
}

# install_packages PACKAGE…: says what is missing and installs it; asks first when somebody is there.
install_packages() {
    local missing answer root=()
    if ! command -v dpkg-query >/dev/null; then
        say "This is no Debian or Ubuntu; going on in the hope that there is what these hold: $*"
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0

    say "Missing packages: ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "Neither root nor sudo. As root: apt-get install ${missing[*]}"
            return 1
        fi
        root=(sudo)
    fi
    if [ -t 0 ] && [ -t 2 ]; then
        read -r -p "Install them with apt-get? [Y/n] " answer || return 1
        case $answer in '' | [Yy]*) ;; *) return 1 ;; esac
    fi

    say "Installing; this takes a minute or two."
    local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive
        apt-get install -y -q --no-install-recommends "${missing[@]}")
    local log
    log=$(mktemp) || return 1
    # the package lists are fetched only if they are absent, or too old for the servers
    if "${install[@]}" </dev/null >"$log" 2>&1 ||
        { "${root[@]}" apt-get update -q </dev/null >"$log" 2>&1 &&
            "${install[@]}" </dev/null >>"$log" 2>&1; }; then
        rm -f "$log"
    else
        tail -n 20 "$log" >&2
        rm -f "$log"
        say "apt-get could not install: ${missing[*]}"
        return 1
    fi
}

# offer_packages FILE WHAT PACKAGE…: asks whoever is there, once, whether to install what WHAT needs; FILE remembers a no.
# Without a terminal, or without them, it goes on.
offer_packages() {
    local file=$1 what=$2 missing answer
    shift 2
    [ -t 0 ] && [ -t 2 ] && [ ! -e "$file" ] && command -v dpkg-query >/dev/null || return 0
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Not needed, for $what: ${missing[*]}"
    read -r -p "Install them too? [y/N] " answer || return 0
    case $answer in
    [Yy]*) install_packages "$@" </dev/null || say "Going on without." ;;
    *) mkdir -p "$(dirname "$file")" && echo "no to $*; remove this file to be asked again" >"$file" ;;
    esac
}

# configured PRESET: whether its build folder fits this tree as it is, where it is.
configured() {
    [ -e "build/$1/build.ninja" ] && ! [ CMakePresets.json -nt "build/$1/build.ninja" ] &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "build/$1/CMakeCache.txt"
}

# configure PRESET [CMAKE-OPTION…]: from scratch where the old one is of no use.
configure() {
    if configured "$1"; then cmake --preset "$@"; else cmake --fresh --preset "$@"; fi
}
