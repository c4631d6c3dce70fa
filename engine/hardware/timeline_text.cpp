#include "engine/hardware/timeline_text.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/hardware/timeline_check.h"

namespace tw {
namespace {

constexpr std::string_view kHeader = "tilewright timeline 1";
constexpr std::string_view kNothing = "-";  ///< stands for an empty word

// ---- writing ---------------------------------------------------------------------------------

/// Texts end with their line.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';
  return line;
}

/// Fields stand between blanks.
std::string one_word(std::string_view text) {
  std::string word = one_line(text);
  for (char& c : word)
    if (c == ' ' || c == '\t') c = '_';
  return word.empty() ? std::string(kNothing) : word;
}

class Writer {
public:
  template <typename... Fields>
  void line(std::string_view word, Fields const&... fields) {
    text_ += word;
    (add(fields), ...);
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

private:
  void add(std::string const& text) { (text_ += ' ') += text; }
  void add(std::string_view text) { (text_ += ' ') += text; }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) {
    char digits[40];
    auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    add(std::string_view(digits, size_t(end - digits)));
  }
  std::string text_;
};

void write_names(Timeline const& timeline, Writer& writer) {
  for (Timeline::Lane const& lane : timeline.lanes) {
    writer.line("lane", one_line(lane.name));
    if (lane.share != Timeline::Lane().share) writer.line("share", lane.share);
  }
  for (Timeline::Kind const& kind : timeline.kinds) {
    writer.line("kind", one_word(kind.hue), std::string(kind.hatched ? "hatched" : "plain"),
                std::string(kind.stall ? "stall" : "work"), one_word(kind.letter),
                one_line(kind.name));
    writer.line("meaning", one_line(kind.meaning));
  }
  for (Timeline::Instruction const& one : timeline.instructions)
    writer.line("instruction", one.lane, one.line, one_line(one.text));
}

void write_events(Timeline const& timeline, Writer& writer) {
  for (Timeline::Span const& span : timeline.spans)
    writer.line("span", span.lane, span.kind, span.begin, span.end, span.instruction);
  for (Timeline::Counter const& counter : timeline.counters) {
    writer.line("counter", std::string(counter.of_memory ? "memory" : "queue"), counter.capacity,
                one_word(counter.unit), one_line(counter.name));
    for (auto const& [cycle, value] : counter.steps) writer.line("step", cycle, value);
  }
  for (Timeline::Token const& token : timeline.tokens)
    writer.line("token", token.queue, token.pushed, token.popped, token.from, token.to);
  for (Timeline::Touch const& touch : timeline.touches)
    writer.line("touch", touch.counter, touch.instruction,
                std::string(touch.write ? "writes" : "reads"), touch.begin, touch.end);
}

// ---- reading ---------------------------------------------------------------------------------

/// The fields of one line, after its first word.
class Fields {
public:
  explicit Fields(std::string_view rest) : rest_(rest) {}
  template <typename Number>
  bool take(Number& number) {
    std::string_view field = next();
    auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    return error == std::errc() && end == field.data() + field.size();
  }
  /// One of two words.
  bool choose(std::string_view yes, std::string_view no, bool& is) {
    std::string_view field = next();
    is = field == yes;
    return is || field == no;
  }
  bool word(std::string& text) {
    std::string_view field = next();
    text = field == kNothing ? "" : field;
    return !field.empty();
  }
  bool text(std::string& all) {
    all = rest_;
    rest_ = {};
    return true;
  }
  bool done() const { return rest_.empty(); }

private:
  std::string_view next() {
    size_t blank = std::min(rest_.find(' '), rest_.size());
    std::string_view field = rest_.substr(0, blank);
    rest_.remove_prefix(std::min(blank + 1, rest_.size()));
    return field;
  }
  std::string_view rest_;
};

bool read_finding(Fields& fields, Timeline& into) {
  Timeline::Finding finding;
  size_t count = 0;
  if (!fields.word(finding.code) || !fields.take(count)) return false;
  for (size_t i = 0; i < count; ++i)
    if (int32_t one = 0; fields.take(one))
      finding.instructions.push_back(one);
    else
      return false;
  fields.text(finding.sentence);
  into.findings.push_back(std::move(finding));
  return true;
}

bool read_kind(Fields& fields, Timeline& into) {
  Timeline::Kind kind;
  bool plain = false, work = false;
  if (!fields.word(kind.hue) || !fields.choose("plain", "hatched", plain) ||
      !fields.choose("work", "stall", work) || !fields.word(kind.letter))
    return false;
  kind.hatched = !plain;
  kind.stall = !work;
  fields.text(kind.name);
  into.kinds.push_back(std::move(kind));
  return true;
}

bool read_counter(Fields& fields, Timeline& into) {
  Timeline::Counter counter;
  if (!fields.choose("memory", "queue", counter.of_memory) || !fields.take(counter.capacity) ||
      !fields.word(counter.unit))
    return false;
  fields.text(counter.name);
  into.counters.push_back(std::move(counter));
  return true;
}

bool read_step(Fields& fields, Timeline& into) {
  std::pair<int64_t, int64_t> step;
  if (into.counters.empty() || !fields.take(step.first) || !fields.take(step.second)) return false;
  into.counters.back().steps.push_back(step);
  return true;
}

bool read_span(Fields& fields, Timeline& into) {
  Timeline::Span span;
  bool read = fields.take(span.lane) && fields.take(span.kind) && fields.take(span.begin) &&
              fields.take(span.end) && fields.take(span.instruction);
  if (read) into.spans.push_back(span);
  return read;
}

bool read_token(Fields& fields, Timeline& into) {
  Timeline::Token token;
  bool read = fields.take(token.queue) && fields.take(token.pushed) && fields.take(token.popped) &&
              fields.take(token.from) && fields.take(token.to);
  if (read) into.tokens.push_back(token);
  return read;
}

bool read_touch(Fields& fields, Timeline& into) {
  Timeline::Touch touch;
  bool read = fields.take(touch.counter) && fields.take(touch.instruction) &&
              fields.choose("writes", "reads", touch.write) && fields.take(touch.begin) &&
              fields.take(touch.end);
  if (read) into.touches.push_back(touch);
  return read;
}

bool read_instruction(Fields& fields, Timeline& into) {
  Timeline::Instruction one;
  if (!fields.take(one.lane) || !fields.take(one.line)) return false;
  fields.text(one.text);
  into.instructions.push_back(std::move(one));
  return true;
}

bool read_cut(Fields& fields, Timeline& into) {
  Timeline::Cut cut;
  if (!fields.take(cut.at) || !fields.take(cut.cycles)) return false;
  fields.text(cut.words);
  into.cuts.push_back(std::move(cut));
  return true;
}

bool read_line(std::string_view word, Fields& fields, Timeline& into) {
  if (word == "span") return read_span(fields, into);
  if (word == "step") return read_step(fields, into);
  if (word == "token") return read_token(fields, into);
  if (word == "touch") return read_touch(fields, into);
  if (word == "instruction") return read_instruction(fields, into);
  if (word == "lane") return fields.text(into.lanes.emplace_back().name);
  if (word == "share")
    return !into.lanes.empty() && fields.take(into.lanes.back().share) &&
           std::isfinite(into.lanes.back().share);
  if (word == "cut") return read_cut(fields, into);
  if (word == "modelled") return into.modelled = true;
  if (word == "sentence") return fields.text(into.sentence);
  if (word == "kind") return read_kind(fields, into);
  if (word == "meaning") return !into.kinds.empty() && fields.text(into.kinds.back().meaning);
  if (word == "counter") return read_counter(fields, into);
  if (word == "finding") return read_finding(fields, into);
  if (word == "clock_mhz") return fields.take(into.clock_mhz) && std::isfinite(into.clock_mhz);
  if (word == "cycles") return fields.take(into.cycles);
  if (word == "verdict")
    return fields.choose("proven", "open", into.proven) && fields.text(into.verdict);
  return false;
}

/// Where the fault's line is: counted only once one is found, so that reading is not slower for it.
int line_of(TimelineFault const& fault, std::string_view text) {
  size_t before = 0;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.substr(0, line.find(' ')) == fault.word && before++ == fault.index) return number;
  }
  return 0;
}

Result<Timeline> checked(Timeline timeline, std::string_view text, std::string const& file) {
  auto fault = first_fault(timeline);
  if (!fault) return timeline;
  return bad_input("bad_timeline", fault->sentence, Place{file, line_of(*fault, text), 1, {}});
}

}  // namespace

std::string to_text(Timeline const& timeline) {
  Writer writer;
  writer.line(kHeader);
  writer.line("clock_mhz", timeline.clock_mhz);
  writer.line("cycles", timeline.cycles);
  writer.line("verdict", std::string(timeline.proven ? "proven" : "open"),
              one_line(timeline.verdict));
  if (timeline.modelled) writer.line("modelled");
  if (!timeline.sentence.empty()) writer.line("sentence", one_line(timeline.sentence));
  for (Timeline::Cut const& cut : timeline.cuts)
    writer.line("cut", cut.at, cut.cycles, one_line(cut.words));
  write_names(timeline, writer);
  for (Timeline::Finding const& finding : timeline.findings) {
    std::string about;
    for (int32_t one : finding.instructions) about += std::to_string(one) + " ";
    writer.line("finding", one_word(finding.code), finding.instructions.size(),
                about + one_line(finding.sentence));
  }
  write_events(timeline, writer);
  writer.line("end");
  return writer.take();
}

Result<Timeline> parse_timeline(std::string_view text, std::string const& file) {
  Timeline timeline;
  std::string_view const all = text;
  int number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ++number;
    if (number == 1) {
      if (line == kHeader) continue;
      return bad_input("not_a_timeline", "the first line is not '" + std::string(kHeader) + "'",
                       Place{file, 1, 1, {}});
    }
    if (line == "end") return checked(std::move(timeline), all, file);
    if (end == std::string_view::npos) break;  // cut off in the middle of a line
    size_t blank = std::min(line.find(' '), line.size());
    Fields fields(line.substr(std::min(blank + 1, line.size())));
    if (!read_line(line.substr(0, blank), fields, timeline) || !fields.done())
      return bad_input("bad_line", "this is no line of a timeline", Place{file, number, 1, {}});
  }
  if (number == 0)
    return bad_input("not_a_timeline", "there is nothing in it", Place{file, 1, 1, {}});
  return bad_input("cut_off",
                   "the timeline is cut off: its last line, 'end', is missing after " +
                       std::to_string(timeline.spans.size()) + " spans",
                   Place{file, number, 1, {}});
}

}  // namespace tw
