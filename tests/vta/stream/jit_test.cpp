// Streams that are made of calls compute what the calls say, whatever the cache and the limits.
#include <QtTest>

#include "targets/vta/hardware/boards.h"
#include "targets/vta/simulator/machine.h"
#include "targets/vta/stream/jit.h"
#include "tests/support/vta_calls.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

constexpr uint64_t kBase = 4096, kEach = 1 << 16;

/// Tensors one after another, then the micro-ops.
Addresses places(CallProgram const& program) {
  Addresses addresses;
  for (size_t i = 0; i < program.tensors.size(); ++i)
    addresses.tensors.push_back(kBase + i * kEach);
  addresses.uops = kBase + program.tensors.size() * kEach;
  return addresses;
}

/// Every token that is pushed is popped, and popped after it was pushed.
void check_tokens(Stream const& stream) {
  std::array<int, 4> waiting{};
  auto pop = [&](bool flag, size_t queue) {
    if (flag && --waiting[queue] < 0) qFatal("a token is popped before it is pushed");
  };
  for (Instruction const& i : stream) {
    Module module = module_of(i);
    pop(i.tokens.pop_prev, module == Module::kStore ? 2 : 0);
    pop(i.tokens.pop_next, module == Module::kLoad ? 1 : 3);
    if (i.tokens.push_prev) ++waiting[module == Module::kStore ? 3 : 1];
    if (i.tokens.push_next) ++waiting[module == Module::kLoad ? 0 : 2];
  }
  if (waiting != std::array<int, 4>{}) qFatal("a token is left over");
}

struct Ran {
  std::vector<Bytes> tensors;
  std::vector<Batch> batches;
};

Ran run(CallProgram const& program, std::vector<Bytes> tensors, JitOptions const& options = {}) {
  Addresses addresses = places(program);
  auto batches = make_batches(program, addresses, options);
  if (!batches) qFatal("%s", to_sentence(batches.error()).c_str());
  Configuration const& c = program.configuration;
  size_t most = 0;
  for (Batch const& batch : *batches) most = std::max(most, batch.uops.size());
  Bytes dram(addresses.uops + most * size_t(c.uop_bytes()));
  for (size_t i = 0; i < tensors.size(); ++i)
    std::ranges::copy(tensors[i], dram.begin() + std::ptrdiff_t(addresses.tensors[i]));
  Machine machine(c);
  for (Batch const& batch : *batches) {
    check_tokens(batch.stream);
    for (size_t k = 0; k < batch.uops.size(); ++k) {
      uint64_t bits = encode(c, batch.uops[k]).value();
      std::memcpy(&dram[addresses.uops + k * size_t(c.uop_bytes())], &bits, size_t(c.uop_bytes()));
    }
    for (Instruction const& instruction : batch.stream)
      if (auto done = machine.execute(instruction, dram); !done)
        qFatal("%s", to_sentence(done.error()).c_str());
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    std::copy_n(dram.begin() + std::ptrdiff_t(addresses.tensors[i]), tensors[i].size(),
                tensors[i].begin());
  return {std::move(tensors), std::move(*batches)};
}

std::vector<Bytes> random_tensors(CallProgram const& program, Rng& rng) {
  std::vector<Bytes> tensors;
  for (CallTensor const& tensor : program.tensors) {
    Bytes& bytes = tensors.emplace_back(size_t(tensor.bytes));
    for (std::byte& byte : bytes) byte = std::byte(rng.next());
  }
  return tensors;
}

std::vector<Bytes> reference(CallProgram const& program, std::vector<Bytes> tensors) {
  CallReference(program).run(tensors);
  return tensors;
}

int64_t count(Stream const& stream, auto matches) { return std::ranges::count_if(stream, matches); }
bool loads_uops(Instruction const& i) {
  return i.opcode == Opcode::kLoad && i.transfer.memory == Memory::kUop && !i.transfer.nothing();
}

/// One tile of the convolution C9: 14x14 pixels, 4 blocks of output channels, one of input.
CallProgram tile(int calls) {
  CallProgram program{
      .symbol = "tile", .configuration = *find_board("pynq"), .tensors = {}, .calls = {}};
  for (int i = 0; i < calls; ++i) {
    Call call{
        .kind = CallKind::kGemm, .dst = 0, .src = (i % 2) * 256, .wgt = (i % 2) * 36, .loops = {}};
    call.loops = {{3, 0, 16, 3}, {3, 0, 1, 1}, {4, 196, 0, 9}, {14, 14, 16, 0}, {14, 1, 1, 0}};
    program.calls.push_back(call);
  }
  return program;
}

}  // namespace

class JitTest : public QObject {
  Q_OBJECT
private slots:
  void random_programs_compute_what_plain_loops_do() {
    int programs = qEnvironmentVariableIntValue("TW_STREAMS");
    for (uint64_t seed = 1; seed <= uint64_t(programs > 0 ? programs : 1500); ++seed) {
      Rng rng(seed);
      CallProgram program =
          RandomCalls(rng).program(int(rng.between(5, 40)), small_configuration(rng));
      std::vector<Bytes> tensors = random_tensors(program, rng);
      QVERIFY2(run(program, tensors).tensors == reference(program, tensors),
               qPrintable(QString("seed %1").arg(seed)));
    }
  }

  void a_program_that_is_cut_into_batches_computes_the_same() {
    int64_t batches = 0;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
      Rng rng(seed);
      CallProgram program = RandomCalls(rng).program(30, small_configuration(rng));
      std::vector<Bytes> tensors = random_tensors(program, rng);
      JitOptions small{.most_instructions = 2000, .most_uops = 96};
      if (seed % 2 == 0) small.most_instructions = rng.between(10, 40);
      auto made = make_batches(program, places(program), small);
      if (!made) QCOMPARE(made.error().code, std::string("stream_too_long"));
      if (!made) continue;
      Ran cut = run(program, tensors, small);
      batches += int64_t(cut.batches.size());
      QVERIFY2(cut.tensors == reference(program, tensors),
               qPrintable(QString("seed %1").arg(seed)));
    }
    qInfo("%lld batches of 400 programs", static_cast<long long>(batches));
    QVERIFY(batches > 450);
  }

  /// A run of few instructions: nearly every call is a batch, and no token goes between any.
  void every_call_can_be_a_batch_of_its_own() {
    CallProgram program{.symbol = "k",
                        .configuration = *find_board("pynq"),
                        .tensors = {{"a", 4096, false}, {"o", 4096, true}},
                        .calls = {}};
    Transfer inp{.memory = Memory::kAcc, .y_size = 1, .x_size = 4, .x_stride = 4};
    program.calls = {
        {.kind = CallKind::kLoad, .transfer = inp, .loops = {}},
        {.kind = CallKind::kAlu,
         .tokens = {.push_next = true},
         .alu = AluOp::kAdd,
         .use_immediate = true,
         .immediate = 3,
         .loops = {{4, 1, 1, 0}}},
        {.kind = CallKind::kStore,
         .tokens = {.pop_prev = true, .push_prev = true},
         .tensor = 1,
         .transfer = {.memory = Memory::kOut, .y_size = 1, .x_size = 4, .x_stride = 4},
         .loops = {}},
        {.kind = CallKind::kAlu,
         .tokens = {.pop_next = true, .push_next = true},
         .alu = AluOp::kAdd,
         .use_immediate = true,
         .immediate = 4,
         .loops = {{4, 1, 1, 0}}},
        {.kind = CallKind::kStore,
         .tokens = {.pop_prev = true},
         .tensor = 1,
         .transfer = {.memory = Memory::kOut, .dram = 8, .y_size = 1, .x_size = 4, .x_stride = 4},
         .loops = {}}};
    Rng rng(1);
    std::vector<Bytes> tensors = random_tensors(program, rng);
    Ran whole = run(program, tensors);
    Ran cut = run(program, tensors, {.most_instructions = 5});
    QCOMPARE(whole.batches.size(), size_t(1));
    QCOMPARE(cut.batches.size(), size_t(5));
    QVERIFY(whole.tensors == cut.tensors && cut.tensors == reference(program, tensors));
  }

  /// The published runtime built the micro-ops' image once, from what was in the cache at the end.
  void a_kernel_that_was_replaced_in_the_cache_and_is_loaded_again_is_right() {
    Rng rng(5);
    CallProgram program{
        .symbol = "k", .configuration = small_configuration(rng), .tensors = {}, .calls = {}};
    Configuration& c = program.configuration;
    c = {.name = "small"};
    c.log_block = 1, c.log_inp_bytes = 7, c.log_wgt_bytes = 8, c.log_acc_bytes = 9,
    c.log_uop_bytes = 2 + 5, c.mul = true;
    QVERIFY(validate(c));
    QCOMPARE(c.depth(Memory::kUop), int64_t(32));
    program = RandomCalls(rng).program(0, c);
    Call store = program.calls.back();
    program.calls.pop_back();
    // 12 patterns that go up and down, which no instruction can say, three times over.
    for (int round = 0; round < 3; ++round)
      for (int k = 0; k < 12; ++k) {
        Call call{.kind = CallKind::kAlu, .alu = AluOp::kMul, .dst = 1, .src = 40 + k, .loops = {}};
        call.loops = {{20, 1, -1, 0}};
        program.calls.push_back(call);
      }
    program.calls.push_back(store);
    std::vector<Bytes> tensors = random_tensors(program, rng);
    Ran ran = run(program, tensors);
    QCOMPARE(ran.batches.size(), size_t(1));
    QVERIFY(ran.tensors == reference(program, tensors));
    std::map<uint64_t, int> loads;
    int64_t loaded = 0;
    for (Instruction const& i : ran.batches[0].stream)
      if (loads_uops(i)) ++loads[i.transfer.dram], loaded += i.transfer.x_size;
    QVERIFY2(loaded > 2 * c.depth(Memory::kUop), qPrintable(QString::number(loaded)));
    QVERIFY(std::ranges::any_of(loads, [](auto const& one) { return one.second > 1; }));
  }

  void long_runs_of_micro_ops_hide_the_drain_of_the_pipeline() {
    CallProgram program = tile(200);
    Batch batch = make_batches(program, {}).value()[0];
    int64_t gemm = 0, cycles = 0, loaded = 0;
    for (Instruction const& i : batch.stream) {
      if (i.opcode == Opcode::kGemm) {
        gemm += i.nest.steps();
        cycles += int64_t(i.nest.outer) * i.nest.inner * (i.nest.uops() + 4);
      }
      if (loads_uops(i)) loaded += i.transfer.x_size;
    }
    QCOMPARE(gemm, int64_t(200) * 9 * 4 * 196);
    QVERIFY2(double(gemm) / double(cycles) > 0.97,
             qPrintable(QString::number(double(gemm) / double(cycles))));
    QVERIFY(loaded <= 8192);
  }

  void micro_ops_that_follow_one_another_have_accumulators_of_their_own() {
    Batch batch = make_batches(tile(4), {}).value()[0];
    for (Instruction const& i : batch.stream) {
      if (!loads_uops(i)) continue;
      std::span<MicroOp const> uops =
          std::span(batch.uops).subspan(i.transfer.dram, i.transfer.x_size);
      for (size_t k = 0; k < uops.size(); ++k)
        for (size_t before = k < 3 ? 0 : k - 3; before < k; ++before)
          QVERIFY(uops[k].dst != uops[before].dst);
    }
  }

  void one_accumulator_is_added_to_over_runs_of_the_pipeline() {
    CallProgram program{
        .symbol = "k", .configuration = *find_board("pynq"), .tensors = {}, .calls = {}};
    program.calls = {
        {.kind = CallKind::kGemm, .loops = {{3, 0, 32, 7}, {5, 0, 3, 64}, {2, 0, 1, 1}}}};
    Batch batch = make_batches(program, {}).value()[0];
    for (Instruction const& i : batch.stream)
      if (i.opcode == Opcode::kGemm) QCOMPARE(i.nest.uops(), int64_t(1));
  }

  void an_alu_call_whose_steps_read_one_another_keeps_its_order() {
    CallProgram program{
        .symbol = "k", .configuration = *find_board("pynq"), .tensors = {}, .calls = {}};
    program.calls = {{.kind = CallKind::kAlu,
                      .alu = AluOp::kAdd,
                      .dst = 1,
                      .loops = {{7, 1, 1, 0}, {3, 0, 0, 0}}}};
    Batch batch = make_batches(program, {}).value()[0];
    std::vector<uint32_t> order;
    for (Instruction const& i : batch.stream)
      if (i.opcode == Opcode::kAlu)
        for (uint32_t o = 0; o < i.nest.outer; ++o)
          for (uint32_t n = 0; n < i.nest.inner; ++n)
            for (uint32_t k = i.nest.uop_begin; k < i.nest.uop_end; ++k)
              order.push_back(batch.uops[k].dst + o * i.nest.dst.outer + n * i.nest.dst.inner);
    std::vector<uint32_t> wanted;
    for (uint32_t i = 0; i < 21; ++i) wanted.push_back(1 + i / 3);
    QCOMPARE(order, wanted);
  }

  void the_end_waits_for_loads_and_stores_with_as_few_instructions_as_it_can() {
    CallProgram program{.symbol = "k",
                        .configuration = *find_board("pynq"),
                        .tensors = {{"a", 4096, false}, {"o", 4096, true}},
                        .calls = {}};
    Transfer inp{.memory = Memory::kInp, .y_size = 1, .x_size = 4, .x_stride = 4};
    program.calls = {{.kind = CallKind::kLoad, .transfer = inp, .loops = {}},
                     {.kind = CallKind::kStore,
                      .tensor = 1,
                      .transfer = {.memory = Memory::kOut, .y_size = 1, .x_size = 4, .x_stride = 4},
                      .loops = {}}};
    Batch batch = make_batches(program, {.tensors = {0, 4096}, .uops = 8192}).value()[0];
    QCOMPARE(batch.stream.size(), size_t(5));
    // The first one puts out the done flag of the run before.
    QVERIFY(module_of(batch.stream[0]) == Module::kCompute && batch.stream[0].tokens == Tokens{});
    QVERIFY(batch.stream[1].tokens.push_next && batch.stream[2].tokens.push_prev);
    QVERIFY(batch.stream[3].tokens.pop_prev && batch.stream[3].tokens.pop_next);
    QVERIFY(batch.stream[4] == Instruction{});
    QVERIFY(batch.call_of == (std::vector<int32_t>{-1, 0, 1, -1, -1}));
  }

  void bad_programs_are_refused_with_the_call_and_the_numbers_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words");
    auto row = [](char const* name, char const* call, char const* code, char const* words) {
      QTest::newRow(name) << call << code << words;
    };
    row("beyond the tensor", "load inp tensor=0 y=2 x=4 stride=253", "outside_tensor",
        "call 0: it reaches element 256 of 'a', which has 256");
    row("beyond any tensor", "load inp tensor=0 dram=1099511627776 y=1 x=1 stride=1",
        "outside_tensor", "call 0");
    row("beyond the memory", "load inp tensor=0 sram=2047 y=1 x=2 stride=2", "sram_overflow",
        "2 elements at 2047");
    row("written that is read", "store out tensor=0 y=1 x=1 stride=1", "bad_kernel",
        "'a', which the kernel does not write");
    row("index", "gemm dst=2047 loop=2,1,0,0", "sram_overflow", "dst goes from 2047 to 2048");
    row("negative index", "gemm src=3 loop=5,1,-1,0", "sram_overflow", "src goes from -1 to 3");
    row("weights", "gemm wgt=1024", "sram_overflow", "wgt");
    row("misaligned", "load wgt tensor=1 y=1 x=1 stride=1", "misaligned",
        "'o' lies at address 8208");
    row("no token", "gemm pop_prev", "bad_kernel", "waits for a token of the load module");
    row("no neighbour", "load inp tensor=0 push_prev", "bad_kernel", "no neighbour");
    row("long", "gemm loop=16000000,0,0,0 loop=16000000,0,0,0 loop=16000000,0,0,0",
        "stream_too_long", "call 0 alone");
    row("stride too wide", "load inp tensor=0 y=1 x=1 stride=65536", "unencodable", "x_stride");
  }
  void bad_programs_are_refused_with_the_call_and_the_numbers() {
    QFETCH(QString, call);
    QFETCH(QString, code);
    QFETCH(QString, words);
    std::string text =
        "tilewright vta kernel 1\nsymbol k\nconfiguration name=pynq\ntensor a bytes=4096\ntensor o "
        "bytes=4096 written\n" +
        call.toStdString() + "\nend\n";
    auto programs = parse_call_programs(text);
    QVERIFY2(programs, programs ? "" : to_sentence(programs.error()).c_str());
    auto made = make_batches((*programs)[0], {.tensors = {4096, 8192 + 16}, .uops = 16384});
    QVERIFY(!made);
    QCOMPARE(QString::fromStdString(made.error().code), code);
    QVERIFY2(QString::fromStdString(made.error().message).contains(words),
             made.error().message.c_str());
  }
};

QTEST_GUILESS_MAIN(JitTest)
#include "jit_test.moc"
