#include "engine/session/views/assembly_loops.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace tw::session {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

std::string_view first_word(std::string_view line) {
  line = trimmed(line);
  return line.substr(0, size_t(std::ranges::find_if(line, is_blank) - line.begin()));
}

/// Conditional or not: "jne", "b.lt", "cbnz", "bne".
bool may_jump(std::string_view word) {
  if (word.starts_with("j") || word.starts_with("cb") || word.starts_with("tb")) return true;
  return word == "b" || word.starts_with("b.") || (word.size() == 3 && word.starts_with("b"));
}
bool always_jumps(std::string_view word) { return word == "jmp" || word == "b"; }
bool ends_function(std::string_view word) {
  return word.starts_with("ret") || word == "ud2" || word == "bx" || word == "brk";
}

/// A straight piece of code: it is entered at its first instruction and left after its last.
struct Block {
  std::vector<int32_t> lines;  ///< of instructions
  std::vector<size_t> next, before;
};

class Flow {
public:
  explicit Flow(CodeText const& assembly) {
    cut(assembly);
    link(assembly);
  }

  /// Bodies of loops without others inside, as blocks in order.
  std::vector<std::vector<size_t>> innermost() const {
    std::vector<std::vector<size_t>> loops;
    for (size_t tail = 0; tail < blocks_.size(); ++tail)
      for (size_t head : blocks_[tail].next)
        if (head_of(tail, head)) add_body(loops, tail, head);
    auto contains_another = [&](std::vector<size_t> const& one) {
      return std::ranges::any_of(loops, [&](auto const& other) {
        return other.size() < one.size() && std::ranges::includes(one, other);
      });
    };
    std::vector<std::vector<size_t>> kept;
    std::ranges::copy_if(loops, std::back_inserter(kept),
                         [&](auto const& one) { return !contains_another(one); });
    return kept;
  }
  std::vector<Block> const& blocks() const { return blocks_; }

private:
  void cut(CodeText const& assembly) {
    bool fresh = true;
    std::vector<std::string_view> names;  // of the block that comes
    for (size_t i = 0; i < assembly.lines.size(); ++i) {
      std::string_view text = assembly.lines[i].text;
      AssemblyLine kind = kind_of(text);
      if (kind == AssemblyLine::kLabel) {
        names.push_back(label_of(text));
        fresh = true;
      }
      if (kind != AssemblyLine::kInstruction) continue;
      if (fresh) blocks_.emplace_back();
      for (std::string_view name : names) named_[name] = blocks_.size() - 1;
      names.clear();
      blocks_.back().lines.push_back(int32_t(i));
      std::string_view word = first_word(text);
      fresh = ends_function(word) || !jump_of(text).empty();
    }
  }

  void link(CodeText const& assembly) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      std::string_view text = assembly.lines[size_t(blocks_[i].lines.back())].text;
      std::string_view word = first_word(text);
      auto target = named_.find(jump_of(text));
      if (target != named_.end()) connect(i, target->second);
      if (!always_jumps(word) && !ends_function(word) && i + 1 < blocks_.size()) connect(i, i + 1);
    }
  }
  void connect(size_t from, size_t to) {
    blocks_[from].next.push_back(to);
    blocks_[to].before.push_back(from);
  }

  /// What reaches `tail` without passing `head` is the body; it is a loop where nothing enters it
  /// otherwise.
  std::vector<size_t> body_of(size_t tail, size_t head) const {
    std::vector<bool> seen(blocks_.size(), false);
    std::vector<size_t> body{head}, open;
    seen[head] = true;
    if (!seen[tail]) open.push_back(tail), seen[tail] = true;
    while (!open.empty()) {
      size_t block = open.back();
      open.pop_back();
      body.push_back(block);
      for (size_t other : blocks_[block].before)
        if (!seen[other]) open.push_back(other), seen[other] = true;
    }
    std::ranges::sort(body);
    return body;
  }
  /// Whether every way from the function's first block to `tail` passes `head`.
  bool head_of(size_t tail, size_t head) const {
    for (size_t block : body_of(tail, head))
      if (block != head && blocks_[block].before.empty()) return false;
    return true;
  }
  void add_body(std::vector<std::vector<size_t>>& loops, size_t tail, size_t head) const {
    std::vector<size_t> body = body_of(tail, head);
    if (std::ranges::find(loops, body) == loops.end()) loops.push_back(std::move(body));
  }

  std::vector<Block> blocks_;
  std::unordered_map<std::string_view, size_t> named_;
};

double weight_of(AssemblyLoop const& loop) { return loop.runs * double(loop.lines.size()); }

}  // namespace

std::string_view label_of(std::string_view line) {
  std::string_view word = trimmed(line);
  bool label = word.size() > 1 && word.back() == ':' && std::ranges::none_of(word, is_blank);
  return label ? word.substr(0, word.size() - 1) : std::string_view();
}

AssemblyLine kind_of(std::string_view line) {
  std::string_view text = trimmed(line);
  if (text.empty() || text.starts_with('#') || text.starts_with("//"))
    return AssemblyLine::kNothing;
  if (!label_of(line).empty()) return AssemblyLine::kLabel;
  return text.starts_with('.') ? AssemblyLine::kDirective : AssemblyLine::kInstruction;
}

std::string_view jump_of(std::string_view line) {
  if (!may_jump(first_word(line))) return {};
  std::string_view text = trimmed(line);
  size_t at = text.find_last_of(" ,\t");
  std::string_view target = at == text.npos ? std::string_view() : text.substr(at + 1);
  return target.starts_with(".L") ? target : std::string_view();
}

std::vector<AssemblyLoop> innermost_loops(CodeText const& assembly,
                                          std::function<double(CodeLine const&)> const& runs_of) {
  Flow flow(assembly);
  std::vector<AssemblyLoop> loops;
  for (std::vector<size_t> const& body : flow.innermost()) {
    AssemblyLoop loop{.blocks = int32_t(body.size())};
    loop.runs = 0;
    for (size_t block : body)
      for (int32_t line : flow.blocks()[block].lines) {
        loop.lines.push_back(line);
        loop.runs = std::max(loop.runs, runs_of(assembly.lines[size_t(line)]));
      }
    loop.first = loop.lines.front();
    loop.last = loop.lines.back();
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::optional<AssemblyLoop> hot_loop(CodeText const& assembly, NestView const& nest) {
  std::unordered_map<int, double> turns;
  for (LoopBar const& bar : nest.bars)
    // Iterations of these two are in the code beside each other.
    turns[bar.id] =
        bar.mark == LoopMark::kVector || bar.mark == LoopMark::kUnroll ? 1 : double(bar.extent);
  auto runs_of = [&](CodeLine const& line) {
    double runs = 1;
    for (int loop : line.loops)
      if (auto found = turns.find(loop); found != turns.end()) runs *= found->second;
    return runs;
  };
  std::vector<AssemblyLoop> loops = innermost_loops(assembly, runs_of);
  auto most = std::ranges::max_element(loops, {}, weight_of);
  return most == loops.end() ? std::nullopt : std::optional(*most);
}

}  // namespace tw::session
