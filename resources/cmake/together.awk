# Decides which sources a compiler may read as one. Writes OUT/GROUP.cpp, which includes a group's headers and then its sources, so
# that a header never sees the inside of a source. Prints `GROUP<tab>FILE` of each source that is not alone.
#
# Two sources do not go together if one would see something of the other that it has as a word: an internal name (of an unnamed
# namespace, a static function, a macro), or what only a header of the other declares in a namespace inside of tw, where it hides a
# name of tw; nor if it would see a using directive that it has not. So each means alone what it means together.
#
#   awk -v size=8 -v first=HEADER -v root=DIR/ -v out=DIR -f together.awk FILES...
#
# It reads the sources as clang-format writes them: what stands at the beginning of a line is declared in a namespace.

function close_namespace(    last) {
  if (depth == 0) return
  last = opened[depth--]
  if (last == "") --unnamed
  else space = substr(space, 1, length(space) - length(last) - 2)
}

function open_namespace(name) {
  opened[++depth] = name
  since = 0
  if (name == "") ++unnamed
  else {
    space = space name "::"
    if (!((file, space) in inside)) { inside[file, space] = 1; spaces[file] = spaces[file] space "\n" }
  }
}

# A name and the namespace that it is seen in.
function declare(name) {
  if (name == "" || (file, space, name) in declared) return
  declared[file, space, name] = 1
  names[file] = names[file] space "\t" name "\n"
}

function declared_name(line,    before) {
  if (line ~ /^(template|using namespace|return|public|private|protected|else|case|default|extern|Q_)/) return ""
  if (line ~ /^using +[A-Za-z_0-9:]+;/) {  # of another namespace: its last name is what is seen here
    sub(/;.*/, "", line)
    sub(/.*[^A-Za-z_0-9]/, "", line)
    return line
  }
  if (match(line, /^(struct|class|enum class|enum|union|using|namespace) +[A-Za-z_0-9]+/)) {
    before = substr(line, RSTART, RLENGTH)
    sub(/.* /, "", before)
    return before
  }
  sub(/[({=;\[].*/, "", line)  # what stands before the parameters or the value
  sub(/ +$/, "", line)
  sub(/.*[^A-Za-z_0-9]/, "", line)
  return line
}

FNR == 1 {
  file = FILENAME
  order[++count] = file
  space = ""; depth = 0; unnamed = 0; conditions = 0; constants = 0
  spaces[file] = "\n"
  inside[file, ""] = 1
}

/^ *# *(if|ifdef|ifndef)/ { ++conditions }
/^ *# *endif/ { --conditions }
/^ *# *define/ { sub(/^ *# *define +/, "#define "); split($2, macro, "("); kept = space; space = ""; declare(macro[1]); space = kept }
/^ *# *include/ {
  if (conditions == 0 && $0 !~ /\.(moc|cpp)"/) includes[file] = includes[file] $0 "\n"
  next
}

{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "", line)
  sub(/\/\/.*/, "", line)
  words = line
  while (match(words, /[A-Za-z_][A-Za-z_0-9]*/)) {
    word[file, substr(words, RSTART, RLENGTH)] = 1
    words = substr(words, RSTART + RLENGTH)
  }
}

# One of a line has no comment where it ends.
$0 ~ /^}  \/\/ namespace/ || ($0 == "}" && ++since <= 2) { close_namespace(); since = 9; next }
{ ++since }
line ~ /^(inline )?namespace [A-Za-z_0-9:]+ *{/ { sub(/^(inline )?namespace /, "", line); sub(/ *{.*/, "", line); open_namespace(line); next }
line ~ /^namespace *{/ { open_namespace(""); next }
line ~ /^using namespace/ {
  sub(/^using namespace /, "", line)
  sub(/;.*/, "", line)
  directives[file] = directives[file] space "\t" line "\n"
  uses[file, space, line] = 1
  if (space == "" && line ~ /::/) inside_too[file] = 1
  next
}
line ~ /^[A-Za-z_]/ && (unnamed || line ~ /^static /) {
  declare(declared_name(line))
  constants = line ~ /^(static |inline )?constexpr /
}
constants {  # one declaration may name several, on several lines
  rest = line
  while (match(rest, /[A-Za-z_0-9]+(\[[A-Za-z_0-9]*\])? *=/)) {
    one = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    declare(declared_name(one))
  }
  if (line ~ /[;{]/) constants = 0
}

# A header of the source tree: what it includes, and what it declares in namespaces.
function read_header(path,    line, space, opened, depth, since, name) {
  if (path in headers) return
  headers[path] = 1
  space = ""; depth = 0
  while ((getline line < (root path)) > 0) {
    if (match(line, /^#include "/)) {
      sub(/^#include "/, "", line); sub(/".*/, "", line)
      below[path] = below[path] line "\n"
    } else if (line ~ /^(inline )?namespace [A-Za-z_0-9:]+ *\{/ && line !~ /\}/) {
      sub(/^(inline )?namespace /, "", line); sub(/ *\{.*/, "", line)
      opened[++depth] = line
      space = space line "::"
      since = 0
    } else if (depth > 0 && (line ~ /^}  \/\/ namespace/ || (line == "}" && since == 1))) {
      since = 9
      space = substr(space, 1, length(space) - length(opened[depth--]) - 2)
    } else if (line ~ /^[A-Za-z_]/ && space ~ /::/ && line !~ /^(struct|class) [A-Za-z_0-9]+;/) {
      ++since
      name = declared_name(line)
      if (name != "") inner[path] = inner[path] space "\t" name "\n"
    } else {
      ++since
    }
  }
  close(root path)
}

# All headers that are read with a file.
function close_over(source, text,    list, n, i, path) {
  n = split(text, list, "\n")
  for (i = 1; i < n; ++i) {
    path = list[i]
    if (path == "" || (source, path) in reads) continue
    reads[source, path] = 1
    read_header(path)
    if (path in inner) telling[source] = telling[source] path "\n"
    close_over(source, below[path])
  }
}

function quoted(text,    list, n, i, all) {
  n = split(text, list, "\n")
  for (i = 1; i < n; ++i)
    if (list[i] ~ /^#include "/) {
      sub(/^#include "/, "", list[i]); sub(/".*/, "", list[i])
      all = all list[i] "\n"
    }
  return all
}

# A name of tw is hidden by one of a namespace inside of it, and ambiguous beside one where a using directive names both.
function hides(other, place) {
  if (place ~ /::.+::/ && seen_from(other, place)) return 1
  return (other, "", substr(place, 1, length(place) - 2)) in uses && inside_too[other]
}

function headers_disturb(one, other,    list, part, declared_there, n, m, i, k) {
  n = split(telling[one], list, "\n")
  for (i = 1; i < n; ++i) {
    if ((other, list[i]) in reads) continue
    m = split(inner[list[i]], declared_there, "\n")
    for (k = 1; k < m; ++k) {
      split(declared_there[k], part, "\t")
      if ((other, part[2]) in word && hides(other, part[1])) return 1
    }
  }
  return 0
}

function seen_from(other, place,    list, n, i) {
  n = split(spaces[other], list, "\n")
  for (i = 1; i < n; ++i)
    if (substr(list[i], 1, length(place)) == place) return 1
  return 0
}

function disturbs(one, other,    list, part, n, i) {
  n = split(names[one], list, "\n")
  for (i = 1; i < n; ++i) {
    split(list[i], part, "\t")
    if ((other, part[2]) in word && seen_from(other, part[1])) return 1
  }
  n = split(directives[one], list, "\n")
  for (i = 1; i < n; ++i) {
    split(list[i], part, "\t")
    if (seen_from(other, part[1]) && !((other, part[1], part[2]) in uses)) return 1
  }
  return headers_disturb(one, other)
}

function fits(one, group,    i) {
  if (filled[group] >= size) return 0
  for (i = 1; i <= filled[group]; ++i)
    if (disturbs(one, member[group, i]) || disturbs(member[group, i], one)) return 0
  return 1
}

END {
  groups = 0
  for (f = 1; f <= count; ++f) close_over(order[f], quoted(includes[order[f]]))
  last = 0  # those that read the header `first` fill groups of their own, as far as they can: touching it leaves the others alone
  for (pass = 1; pass <= 2; ++pass)
    for (f = 1; f <= count; ++f)
      if (((order[f], first) in reads) == (pass == 1)) ordered[++last] = order[f]
  for (f = 1; f <= count; ++f) {
    one = ordered[f]
    for (g = 1; g <= groups && !fits(one, g); ++g) {}
    if (g > groups) groups = g
    member[g, ++filled[g]] = one
  }
  for (g = 1; g <= groups; ++g) {
    if (filled[g] == 1) continue
    source = out "/" g ".cpp"
    print "// Written by CMake: sources that are compiled together." > source
    for (i = 1; i <= filled[g]; ++i) {
      print g "\t" member[g, i]
      n = split(includes[member[g, i]], list, "\n")
      for (k = 1; k < n; ++k)
        if (!((g, list[k]) in written)) { written[g, list[k]] = 1; print list[k] > source }
    }
    for (i = 1; i <= filled[g]; ++i) {
      path = member[g, i]
      if (index(path, root) == 1) path = substr(path, length(root) + 1)  # a second checkout gives the compiler's cache the same text
      print "#include \"" path "\"" > source
    }
    close(source)
  }
}
