# What the scripts share: the packages each job needs and how they are installed. Sourced, not run.
# shellcheck shell=bash disable=SC2034  # the variables are used by the scripts that source this

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit

packages_build=(g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libexpected-dev
  libisl-dev libz3-dev libcpp-httplib-dev libxxhash-dev)
# With these the quick preset builds in less than half the time; without them it uses g++.
packages_quick=(clang-19 lld-19 libomp-19-dev)
packages_kernels=(python3 pocl-opencl-icd ocl-icd-opencl-dev opencl-headers)
packages_mpi=(libopenmpi-dev openmpi-bin)
packages_test=("${packages_build[@]}" "${packages_kernels[@]}" libgtest-dev librapidcheck-dev
  libbenchmark-dev libm4ri-dev libdnnl-dev pkg-config opencl-clhpp-headers nodejs
  "${packages_mpi[@]}")
packages_triton=(python3-venv)
packages_neon=(g++-aarch64-linux-gnu qemu-user)
packages_python=("${packages_build[@]}" python3-dev python3-venv)
# The explorer's page is tested in this browser.
packages_browser=(chromium chromium-driver)
packages_mlir=(libmlir-19-dev mlir-19-tools llvm-19-dev)
packages_bench=("${packages_build[@]}" libbenchmark-dev libdnnl-dev python3)
packages_clang=(clang-19 libclang-rt-19-dev)
packages_fuzz=("${packages_build[@]}" "${packages_clang[@]}")
packages_lint=("${packages_build[@]}" "${packages_clang[@]}" clang-format-19 clang-tidy-19)

say() { printf '%s\n' "$*" >&2; }

# The number of processors to use.
cores() { nproc 2>/dev/null || echo 2; }

# Lets the sanitizers name functions and lines: binutils, which every compiler brings, can do it too.
export_symbolizer() {
  local tool
  for tool in llvm-symbolizer-19 llvm-symbolizer addr2line; do
    if tool=$(command -v "$tool"); then
      export ASAN_SYMBOLIZER_PATH=$tool TSAN_SYMBOLIZER_PATH=$tool
      return
    fi
  done
}

# Leaks that are not ours.
export LSAN_OPTIONS="suppressions=$root/scripts/lsan.supp:print_suppressions=0"

# is_there PACKAGE: whether the package is installed, or the tool it would bring is there anyway.
is_there() {
  local tool
  case $1 in
    g++ | cmake | pkg-config | python3 | clang-format-19 | clang-tidy-19) tool=$1 ;;
    ninja-build) tool=ninja ;;
    clang-19) tool=clang++-19 ;;
    *) tool= ;;
  esac
  if [[ -n $tool ]] && command -v "$tool" >/dev/null; then return 0; fi
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# The path of a Python that has triton and numpy, taken from PyPI into build/triton; nothing, and a
# line that says so, where they cannot be had.
python_with_triton() {
  local place=$root/build/triton
  if [[ ! -e $place/complete ]]; then
    if ! { python3 -m venv "$place" &&
      timeout 300 "$place/bin/pip" install --quiet triton numpy && touch "$place/complete"; } >&2; then
      say "heddle: the Python packages triton and numpy cannot be had; Triton's kernels are not run"
      return 0
    fi
  fi
  printf '%s\n' "$place/bin/python"
}

# give_up REASON PACKAGE…: says what has to be installed by hand, and ends the script.
give_up() {
  local reason=$1
  shift
  say "heddle: $reason. Please install these Debian packages, then run this again:"
  say "  $*"
  exit 2
}

# install_missing PACKAGE…: installs through apt-get those that are not there, if any.
install_missing() {
  local package missing=() sudo=()
  # Other systems name their packages otherwise: there CMake says what it cannot find.
  if ! command -v dpkg-query >/dev/null; then
    command -v cmake >/dev/null || give_up "this is not a Debian system" "$@"
    say "heddle: not a Debian system, so nothing is installed; needed are what Debian calls: $*"
    return 0
  fi
  for package in "$@"; do
    is_there "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  command -v apt-get >/dev/null || give_up "there is no apt-get here" "${missing[@]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || give_up "not root, and there is no sudo" "${missing[@]}"
    sudo=(sudo)
  fi
  say "heddle: installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq >&2 || say "heddle: apt-get update failed; trying without"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2 ||
    give_up "apt-get could not install what is missing" "${missing[@]}"
}

# install_offered PACKAGE…: installs those of the packages that apt-get offers; whoever calls it can do
# without the others.
install_offered() {
  local package offered=()
  command -v apt-cache >/dev/null || return 0
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then offered+=("$package"); fi
  done
  (install_missing "${offered[@]}") || say "heddle: going on without ${offered[*]}"
}
