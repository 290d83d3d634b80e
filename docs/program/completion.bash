# Completion of robotalk's verbs, options, names and files for bash. The program itself tells what there is.
_robotalk() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words= files=
    case $COMP_CWORD:$word in
    *:-*) words=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\)[ [].*/\1/p') ;;
    1:*)
        words=$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9]*\)  .*/\1/p')
        words+=" $("${COMP_WORDS[0]}" --names 2>/dev/null)"
        ;;
    *)
        [[ $before == -* && $before != --world ]] || words=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --names "${COMP_WORDS[@]:2:COMP_CWORD-2}" 2>/dev/null)
        if [[ $before == --world || ${COMP_WORDS[1]} =~ ^(repl|serve|check|convert)$ ]] && files=$(compgen -f -- "$word"); then
            compopt -o filenames 2>/dev/null || true # outside of a completion
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [ -z "$files" ] || echo "$files")
}
complete -o default -F _robotalk robotalk
