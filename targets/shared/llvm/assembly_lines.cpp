#include "targets/shared/llvm/assembly_lines.h"

#include <charconv>

namespace tw {
namespace {

/// The line number of "\t.loc\t1 12 5 prologue_end".
int32_t parse_location(std::string_view line) {
  size_t at = line.find(".loc") + 4;
  int32_t number = 0;
  for (int field = 0; field < 2; ++field) {  // file, then line
    at = line.find_first_of("0123456789", at);
    if (at == std::string_view::npos) return 0;
    auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
    if (error != std::errc()) return 0;
    at = size_t(end - line.data());
  }
  return number;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

/// Labels that only debug tables refer to.
bool is_debug_label(std::string_view line) {
  return starts_with_any(
      line, {".Ltmp", ".Lfunc_end", ".Lfunc_begin", ".Linfo", ".Ldebug", ".Lline", ".Lstr_offsets",
             ".Laddr_table", ".Lsection", ".Lcu_", "$L__tmp", "$L__func_"});
}

bool is_noise(std::string_view body) {
  return starts_with_any(body, {".cfi_", ".file", ".ident", ".addrsig", ".size", ".type", ".text",
                                ".loc", ".intel_syntax", ".p2align"});
}

class Reader {
public:
  explicit Reader(Emitted& emitted) : emitted_(emitted) {}

  void line(std::string_view text) {
    size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) return;
    std::string_view body = text.substr(start);
    if (body.starts_with(".section"))
      in_debug_ = body.find(".debug") != std::string_view::npos ||
                  body.find(".note") != std::string_view::npos;
    if (body.starts_with(".text")) in_debug_ = false;
    if (in_debug_ || body.starts_with("#")) return;
    if (body.starts_with(".loc")) {
      location_ = parse_location(body);
      // Not only at an instruction: a function begins with its own line, then with an unknown one.
      if (location_ != 0) last_ = location_;
    } else if (start == 0) {
      label(text);
    } else if (body.starts_with(".")) {
      if (!is_noise(body)) keep(text, 0);
    } else {
      instruction(text);
    }
  }

  void finish() { settle(); }

private:
  void keep(std::string_view text, int32_t location) {
    emitted_.assembly.append(text).push_back('\n');
    emitted_.source_line.push_back(location);
  }

  void label(std::string_view text) {
    if (is_debug_label(text)) return;
    bool starts_function = !text.starts_with(".");
    if (starts_function || last_ != 0) settle();
    // A block goes on with the location before it, unless the compiler says otherwise.
    if (starts_function) last_ = location_ = 0;
    keep(text, 0);
  }

  void instruction(std::string_view text) {
    ++emitted_.instructions;
    if (location_ == 0) {
      unsettled_.push_back(emitted_.source_line.size());
      keep(text, 0);
      return;
    }
    ++emitted_.instructions_located;
    settle();
    keep(text, location_);
  }

  /// Gives waiting instructions the last location known.
  void settle() {
    for (size_t index : unsettled_) emitted_.source_line[index] = last_;
    unsettled_.clear();
  }

  Emitted& emitted_;
  std::vector<size_t> unsettled_;
  int32_t location_ = 0;
  int32_t last_ = 0;
  bool in_debug_ = false;
};

}  // namespace

void read_assembly(std::string_view text, Emitted& emitted) {
  Reader reader(emitted);
  while (!text.empty()) {
    size_t end = text.find('\n');
    reader.line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  reader.finish();
}

}  // namespace tw
