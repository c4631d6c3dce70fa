#include "engine/schedule/macros/macro_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/schedule/macros/macro_checks.h"
#include "engine/support/files.h"

namespace tw {
namespace {

constexpr int64_t kLargestFile = 1 << 20;

Result<Macro> read_macro(MacroSource const& source) {
  TRY_ASSIGN(Macro macro, parse_macro(source.text, source.file));
  if (primitive_of_table(macro.head.name))
    return bad_input("name_taken", fmt::format("there is a primitive {} already", macro.head.name),
                     Place{source.file, macro.line, 0, {}});
  return macro;
}

}  // namespace

std::vector<MacroSource> macros_in(std::filesystem::path const& folder,
                                   std::vector<Error>& errors) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (auto const& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".twm") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<MacroSource> sources;
  for (auto const& file : files) {
    auto text = read_text(file, kLargestFile);
    if (text)
      sources.push_back({file.string(), std::move(*text)});
    else
      errors.push_back(text.error());
  }
  return sources;
}

MacroSet::MacroSet(std::vector<MacroSource> const& sources, std::vector<Error> errors)
    : errors_(std::move(errors)) {
  for (MacroSource const& source : sources) {
    auto macro = read_macro(source);
    if (!macro) {
      errors_.push_back(macro.error());
    } else if (Macro const* other = find(macro->head.name)) {
      errors_.push_back(
          Error{"macro_twice",
                fmt::format("there is a macro {} already, in {}", macro->head.name, other->file),
                Place{source.file, macro->line, 0, {}}, Fault::kBadInput});
    } else {
      auto place = std::ranges::lower_bound(macros_, macro->head.name, {},
                                            [](Macro const& one) { return one.head.name; });
      macros_.insert(place, std::move(*macro));
    }
  }
  leave_out_unusable();
}

/// What goes takes those along that use it.
void MacroSet::leave_out_unusable() {
  for (;;) {
    std::set<std::string> unusable;
    for (Macro const& macro : macros_)
      if (Status usable = check_macro(macro, *this); !usable) {
        errors_.push_back(usable.error());
        unusable.insert(macro.head.name);
      }
    if (unusable.empty()) return;
    std::erase_if(macros_, [&](Macro const& one) { return unusable.contains(one.head.name); });
  }
}

Macro const* MacroSet::find(std::string_view name) const {
  auto found = std::ranges::find(
      macros_, name, [](Macro const& one) -> std::string_view { return one.head.name; });
  return found == macros_.end() ? nullptr : &*found;
}

MacroSet const& program_macros() {
  static MacroSet const known(builtin_macros());
  return known;
}

MacroSet load_macros(std::span<std::filesystem::path const> folders) {
  std::vector<MacroSource> sources = builtin_macros();
  std::vector<Error> unreadable;
  for (auto const& folder : folders)
    for (MacroSource& source : macros_in(folder, unreadable)) sources.push_back(std::move(source));
  return MacroSet(sources, std::move(unreadable));
}

}  // namespace tw
