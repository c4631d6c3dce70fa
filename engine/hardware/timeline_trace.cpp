// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: the format.
#include <charconv>

#include "engine/hardware/timeline_text.h"

namespace tw {
namespace {

void add_quoted(std::string& json, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  json += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (uint8_t(c) < 0x20)
      ((json += "\\u00") += kHex[uint8_t(c) >> 4]) += kHex[uint8_t(c) & 15];
    else
      json += c;
  }
  json += '"';
}

/// Events of one process, whose threads are the lanes.
class TraceWriter {
public:
  explicit TraceWriter(Timeline const& timeline)
      : timeline_(timeline), clock_(timeline.clock_mhz > 0 ? timeline.clock_mhz : 1) {}

  std::string write() {
    json_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    for (size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
      begin("M", "thread_name", int64_t(lane));
      json_ += ",\"args\":{\"name\":";
      add_quoted(json_, timeline_.lanes[lane].name);
      json_ += "}}";
    }
    for (Timeline::Span const& span : timeline_.spans) add(span);
    for (size_t i = 0; i < timeline_.tokens.size(); ++i) add(timeline_.tokens[i], int64_t(i));
    for (Timeline::Counter const& counter : timeline_.counters) add(counter);
    json_ += "\n]}\n";
    return std::move(json_);
  }

private:
  void begin(char const* phase, std::string_view name, int64_t lane) {
    json_ += any_ ? ",\n" : "\n";
    any_ = true;
    ((json_ += "{\"ph\":\"") += phase) += "\",\"pid\":1,\"tid\":";
    (json_ += std::to_string(lane + 1)) += ",\"name\":";
    add_quoted(json_, name);
  }
  void add_time(char const* key, int64_t cycles) {
    char digits[40];
    auto end = std::to_chars(digits, digits + sizeof digits, double(cycles) / clock_).ptr;
    (((json_ += ",\"") += key) += "\":").append(digits, end);
  }
  void add(Timeline::Span const& span) {
    Timeline::Kind const& kind = timeline_.kinds[size_t(span.kind)];
    begin("X", kind.name, span.lane);
    add_time("ts", span.begin);
    add_time("dur", span.end - span.begin);
    json_ += kind.stall ? ",\"cat\":\"stall\"" : ",\"cat\":\"work\"";
    if (span.instruction >= 0) {
      json_ += ",\"args\":{\"instruction\":" + std::to_string(span.instruction) + ",\"text\":";
      add_quoted(json_, timeline_.instructions[size_t(span.instruction)].text);
      json_ += "}";
    }
    json_ += "}";
  }
  int64_t lane_of(int32_t instruction) const {
    return instruction < 0 ? 0 : timeline_.instructions[size_t(instruction)].lane;
  }
  void add(Timeline::Token const& token, int64_t id) {
    std::string const& queue = timeline_.counters[size_t(token.queue)].name;
    begin("s", queue, lane_of(token.from));
    add_time("ts", token.pushed);
    json_ += ",\"cat\":\"token\",\"id\":" + std::to_string(id) + "}";
    begin("f", queue, lane_of(token.to));
    add_time("ts", token.popped);
    json_ += ",\"cat\":\"token\",\"bp\":\"e\",\"id\":" + std::to_string(id) + "}";
  }
  void add(Timeline::Counter const& counter) {
    for (auto const& [cycle, value] : counter.steps) {
      begin("C", counter.name, 0);
      add_time("ts", cycle);
      json_ += ",\"args\":{";
      add_quoted(json_, counter.unit.empty() ? "value" : counter.unit);
      json_ += ":" + std::to_string(value) + "}}";
    }
  }

  Timeline const& timeline_;
  double clock_;  ///< cycles in a microsecond
  std::string json_;
  bool any_ = false;
};

}  // namespace

std::string to_chrome_trace(Timeline const& timeline) { return TraceWriter(timeline).write(); }

}  // namespace tw
