// What the process that generates code answers, as bytes.
#include <algorithm>
#include <limits>

#include "targets/shared/llvm/generator_messages.h"
#include "targets/shared/llvm/message_codec.h"

namespace tw {
namespace {

constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

/// The lists of a reply have at least a byte for each of their members.
template <typename T, typename Read>
std::vector<T> list_of(MessageReader& in, Read read) {
  std::vector<T> all;
  for (uint64_t count = in.number(); count > 0 && in.is_whole(); --count) all.push_back(read());
  return all;
}

void put(MessageWriter& out, std::vector<std::string> const& words) {
  out.number(words.size());
  for (std::string const& word : words) out.text(word);
}
std::vector<std::string> words_of(MessageReader& in) {
  return list_of<std::string>(in, [&] { return in.text(); });
}

void put(MessageWriter& out, InstructionFacts const& facts) {
  out.number(uint64_t(facts.line));
  out.text(facts.name);
  out.text(facts.intel);
  put(out, facts.reads);
  put(out, facts.writes);
  for (bool flag : {facts.loads, facts.stores, facts.branches, facts.calls, facts.returns})
    out.number(flag);
  out.number(uint64_t(facts.operations));
  out.number(uint64_t(facts.latency));
  out.real(facts.interval);
}
InstructionFacts facts_of(MessageReader& in) {
  InstructionFacts facts;
  facts.line = in.up_to(kMost);
  facts.name = in.text();
  facts.intel = in.text();
  facts.reads = words_of(in);
  facts.writes = words_of(in);
  for (bool* flag : {&facts.loads, &facts.stores, &facts.branches, &facts.calls, &facts.returns})
    *flag = in.up_to(1) != 0;
  facts.operations = in.up_to(kMost);
  facts.latency = in.up_to(kMost);
  facts.interval = in.amount();
  return facts;
}

void put(MessageWriter& out, LoopModel const& loop) {
  for (std::string const* text : {&loop.failure, &loop.processor, &loop.bottleneck})
    out.text(*text);
  out.real(loop.cycles);
  for (int32_t value : {loop.instructions, loop.operations, loop.width, loop.vector_registers,
                        loop.of_vector_registers})
    out.number(uint64_t(value));
  out.number(loop.ports.size());
  for (PortUse const& port : loop.ports) {
    out.text(port.name);
    out.real(port.cycles);
  }
  out.number(loop.lines.size());
  for (LineCost const& line : loop.lines) {
    out.number(uint64_t(line.line));
    out.real(line.cycles);
  }
}
LoopModel loop_of(MessageReader& in) {
  LoopModel loop;
  for (std::string* text : {&loop.failure, &loop.processor, &loop.bottleneck}) *text = in.text();
  loop.cycles = in.amount();
  for (int32_t* value : {&loop.instructions, &loop.operations, &loop.width, &loop.vector_registers,
                         &loop.of_vector_registers})
    *value = in.up_to(kMost);
  loop.ports = list_of<PortUse>(in, [&] {
    std::string name = in.text();
    return PortUse{std::move(name), in.amount()};
  });
  loop.lines = list_of<LineCost>(in, [&] {
    int32_t line = in.up_to(kMost);
    return LineCost{line, in.amount()};
  });
  return loop;
}

void put(MessageWriter& out, Error const& error) {
  out.text(error.code);
  out.text(error.message);
  out.number(uint64_t(error.fault));
}

template <typename T, typename Put>
std::string reply_bytes(Result<T> const& reply, Put put_value) {
  MessageWriter out;
  out.number(reply.has_value());
  if (reply)
    put_value(out, *reply);
  else
    put(out, reply.error());
  return std::move(out.bytes);
}

template <typename T, typename Read>
std::optional<Result<T>> reply_of(std::string const& bytes, Read read) {
  MessageReader in(bytes);
  if (in.up_to(1) == 0) {
    Error error;
    error.code = in.text();
    error.message = in.text();
    error.fault = Fault(in.up_to(uint8_t(Fault::kEnvironment)));
    if (!in.is_done()) return std::nullopt;
    return Result<T>(std::unexpected(std::move(error)));
  }
  T value = read(in);
  if (!in.is_done()) return std::nullopt;
  return Result<T>(std::move(value));
}

}  // namespace

std::string to_bytes(Result<Emitted> const& reply) {
  return reply_bytes(reply, [](MessageWriter& out, Emitted const& emitted) {
    out.list(emitted.object);
    out.text(emitted.assembly);
    out.list(emitted.source_line);
    out.number(uint64_t(emitted.instructions));
    out.number(uint64_t(emitted.instructions_located));
    out.text(emitted.ir);
  });
}

std::optional<Result<Emitted>> reply_from_bytes(std::string const& bytes) {
  return reply_of<Emitted>(bytes, [](MessageReader& in) {
    Emitted emitted;
    emitted.object = in.list<std::byte>();
    emitted.assembly = in.text();
    emitted.source_line = in.list<int32_t>();
    emitted.instructions = in.up_to(kMost);
    emitted.instructions_located = in.up_to(kMost);
    emitted.ir = in.text();
    return emitted;
  });
}

std::string to_bytes(Result<CodeReport> const& reply) {
  return reply_bytes(reply, [](MessageWriter& out, CodeReport const& report) {
    out.number(report.instructions.size());
    for (InstructionFacts const& facts : report.instructions) put(out, facts);
    put(out, report.loop);
  });
}

std::optional<Result<CodeReport>> report_from_bytes(std::string const& bytes) {
  return reply_of<CodeReport>(bytes, [](MessageReader& in) {
    CodeReport report;
    report.instructions = list_of<InstructionFacts>(in, [&] { return facts_of(in); });
    report.loop = loop_of(in);
    return report;
  });
}

bool is_about(CodeReport const& report, std::string const& assembly) {
  auto lines = std::ranges::count(assembly, '\n') + 1;
  auto is_line = [&](auto const& one) { return one.line < lines; };
  return std::ranges::all_of(report.instructions, is_line) &&
         std::ranges::all_of(report.loop.lines, is_line);
}

std::string to_bytes(Result<std::vector<CodeRemark>> const& reply) {
  return reply_bytes(reply, [](MessageWriter& out, std::vector<CodeRemark> const& remarks) {
    out.number(remarks.size());
    for (CodeRemark const& remark : remarks) {
      out.number(uint64_t(remark.kind));
      out.text(remark.pass);
      out.number(uint64_t(remark.line));
      out.text(remark.words);
    }
  });
}

std::optional<Result<std::vector<CodeRemark>>> remarks_from_bytes(std::string const& bytes) {
  return reply_of<std::vector<CodeRemark>>(bytes, [](MessageReader& in) {
    return list_of<CodeRemark>(in, [&] {
      CodeRemark remark;
      remark.kind = CodeRemark::Kind(in.up_to(uint8_t(CodeRemark::Kind::kReason)));
      remark.pass = in.text();
      remark.line = in.up_to(kMost);
      remark.words = in.text();
      return remark;
    });
  });
}

}  // namespace tw
