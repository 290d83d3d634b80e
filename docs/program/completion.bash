# Completion of robotalk's verbs, options and files for bash. The program itself tells what there is.
_robotalk() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    case $COMP_CWORD:$word in
    *:-*) words=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\) .*/\1/p') ;;
    1:*) words=$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p') ;;
    *) words= ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _robotalk robotalk
