#!/bin/sh
# convcheck-opt, convcheck-llc, convcheck-clang, convcheck-clang++: the name by which this is called says which.
#
# Most of what a build compiles holds nothing convergent. A shell sees that in a few milliseconds, in which a Python
# would not have begun: then the real tool takes this process over, and nothing else happens. What may have to
# be checked, or is seldom, goes to convergence/cli/wrappers/main.py, which looks closer; it passes over whatever is
# passed over here (tests/cli/test_front.py).

name=${0##*/}
tool=${name#convcheck-}
tool=${tool%%-*} # another name for it may have LLVM's version behind it

python() { # the one that this was installed for
    here=$(dirname "$(readlink -f "$0")")
    for program in "$here/python3" "$here/python" "$(command -v python3)"; do
        if [ -x "$program" ]; then
            exec "$program" -P -c "from convergence.cli.wrappers.main import TOOLS; TOOLS['$tool']()" "$@"
        fi
    done
    echo "$name: there is no python3" >&2
    exit 127
}

# What this stands for may lead back here: a name that the environment gives, a script, ccache. Then it was checked
# before: the tool is what PATH has. If that leads here again, nobody knows the tool, and each call would make the next.
again=''
case ${CONVCHECK_STANDING-} in
*" $tool "*" $tool "*)
    echo "$name: what it stands for is $name again: name the real $tool in the environment, or put it on PATH" >&2
    exit 127
    ;;
*" $tool "*) again=yes ;;
esac
export CONVCHECK_STANDING="${CONVCHECK_STANDING-} $tool "

case $tool in
opt) asked=${CONVCHECK_OPT-} ;;
llc) asked=${CONVCHECK_LLC-} ;;
clang) asked=${CONVCHECK_CLANG-} ;;
clang++) asked=${CONVCHECK_CLANGXX-} ;;
*) echo "$name stands for opt, llc, clang or clang++, by the name that it is called by" >&2; exit 127 ;;
esac

checks='' files='' follows='' asks=$again
[ -n "$again" ] && asked=''
for argument do
    case $argument in --version|-version|--help|-help|-h|--help-list|-'###'|--print-passes|-print-passes) asks=yes ;; esac
    if [ "${tool#clang}" != "$tool" ]; then
        case $argument in # of a GPU: a target, a language, an ending; and what only the driver reads
        *amdgcn*|*amdgpu*|*nvptx*|*spir*|*dxil*|*r600*|--offload*|--driver-mode=*|@*) checks=yes ;;
        cl|clcpp|hip|cuda|hlsl|-xcl|-xclcpp|-xhip|-xcuda|-xhlsl) checks=yes ;;
        *.cl|*.clcpp|*.hip|*.cu|*.hlsl) checks=yes ;;
        esac
    else
        case $follows$argument in
        @*|-) checks=yes ;;
        -*) ;; # and a file of output, which follows -o
        *) [ -f "$argument" ] && files=yes ;;
        esac
        case $argument in -o|--o) follows=$argument ;; *) follows='' ;; esac
    fi
done

# Text without the word has no convergent code, but for intrinsics of machines, whose attributes LLVM knows; of bitcode,
# which begins with BC or with the head of a wrapper, it cannot be told.
may_converge() {
    LC_ALL=C grep -aqE -e '^BC' -e '^'"$(printf '\336\300')" \
        -e 'convergen|@"?llvm\.(amdgcn|nvvm|spv|dx|r600)\.' -- "$@"
}

if [ -n "$asks" ]; then
    checks=''
elif [ "${tool#clang}" = "$tool" ] && [ -z "$checks" ]; then
    if [ -z "$files" ]; then # what is read is standard input: only a file can be read twice
        if [ -f /proc/self/fd/0 ]; then
            may_converge /proc/self/fd/0 && checks=yes
        elif [ ! -t 0 ]; then
            checks=yes
        fi
    else
        for argument do
            case $argument in
            -*) ;;
            *) [ -f "$argument" ] && may_converge "$argument" && checks=yes ;;
            esac
        done
    fi
fi
[ -n "$checks" ] && python "$@"

if [ -n "$asked" ]; then
    command -v "$asked" >/dev/null && exec "$asked" "$@"
    python "$@" # which says that it is not there
fi
set -f
for called in "$tool" "$tool-22"; do
    IFS=: first=yes
    for folder in $PATH; do
        program=${folder:-.}/$called
        if [ -x "$program" ] && [ -f "$program" ]; then
            [ "$program" -ef "$0" ] && first='' && continue # another name for this
            [ -n "$first" ] && exec "$called" "$@" # by its name, which is in what it says
            exec "$program" "$@"
        fi
    done
done
python "$@"
