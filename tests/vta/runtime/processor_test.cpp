// The processor of simulated boards: memory, libraries, calls, time, and what is refused.
#include <QtTest>

#include "engine/device/device_runtime_table.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/description.h"
#include "tests/support/vta_calls.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace tw {
DeviceRuntimeEntry const& device_runtime_vta();
}

namespace {

struct Opened {
  std::unique_ptr<DeviceRuntime> processor;
  std::unique_ptr<KernelLibrary> library;
};

std::unique_ptr<DeviceRuntime> open_processor(char const* kind = "pynq") {
  Hardware hardware = device_runtime_vta().detect_kind(kind).value();
  return device_runtime_vta().create(hardware, int64_t(64) << 20).value();
}

std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span(text));
}

/// The accelerator adds 3 to 64 elements.
constexpr char kAddThree[] =
    "tilewright vta kernel 1\nsymbol add\nconfiguration name=pynq\ntensor a bytes=4096\n"
    "tensor o bytes=1024 written\nload acc tensor=0 y=1 x=64 stride=64\n"
    "alu add imm=3 loop=64,1,1,0 push_next\nstore out tensor=1 y=1 x=64 stride=64 pop_prev\nend\n";

}  // namespace

class ProcessorTest : public QObject {
  Q_OBJECT
private slots:
  void boards_are_found_by_name_and_the_first_one_is_simulated() {
    Hardware standard = device_runtime_vta().detect().value();
    QCOMPARE(configuration_of(standard)->name, std::string("pynq"));
    for (Configuration const& one : boards())
      QVERIFY(configuration_of(device_runtime_vta().detect_kind(one.name).value()).value() == one);
    QCOMPARE(device_runtime_vta().detect_kind("board-pynq")->word("driver"), std::string("board"));
    auto unknown = device_runtime_vta().detect_kind("pink");
    QVERIFY(!unknown);
    QVERIFY(unknown.error().message.find("'pink'; the boards are pynq") != std::string::npos);
    auto real = device_runtime_vta().create(device_runtime_vta().detect_kind("board-pynq").value(),
                                            1 << 20);
    QVERIFY(!real && real.error().code == "no_such_hardware");
  }

  void random_programs_compute_what_plain_loops_do() {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      Rng rng(seed);
      char const* kind = seed % 2 ? "pynq" : "pynq-4x8";
      auto processor = open_processor(kind);
      CallProgram program = RandomCalls(rng).program(20, *find_board(kind));
      std::string text = to_text(program);
      auto library = processor->load(bytes_of(text)).value();
      void* kernel = library->find("random").value();
      std::vector<Bytes> tensors;
      std::vector<MemoryPlace> places;
      for (CallTensor const& tensor : program.tensors) {
        Bytes& bytes = tensors.emplace_back(size_t(tensor.bytes));
        for (std::byte& byte : bytes) byte = std::byte(rng.next());
        places.push_back({processor->allocate(tensor.bytes + 48).value(), int64_t(seed % 3) * 16});
        processor->write(places.back(), bytes);
      }
      places.push_back({});
      QCOMPARE(processor->call(kernel, places), 0);
      std::vector<Bytes> right = tensors;
      CallReference(program).run(right);
      for (size_t i = 0; i < tensors.size(); ++i) processor->read(tensors[i], places[i]);
      QVERIFY2(tensors == right, qPrintable(QString("seed %1").arg(seed)));
    }
  }

  void a_call_takes_the_time_of_the_model_and_the_same_again() {
    auto processor = open_processor();
    std::string text = kAddThree;
    auto library = processor->load(bytes_of(text)).value();
    void* kernel = library->find("add").value();
    std::vector<MemoryPlace> places{{processor->allocate(4096).value(), 0},
                                    {processor->allocate(1024).value(), 0}};
    QCOMPARE(processor->own_seconds(), std::optional<double>(0.0));
    QCOMPARE(processor->call(kernel, places), 0);
    auto first = processor->own_seconds();
    QVERIFY(first && *first > 1e-6 && *first < 1e-3);
    for (int i = 0; i < 2; ++i) QCOMPARE(processor->call(kernel, places), 0);
    QVERIFY(std::abs(*processor->own_seconds() - 2 * *first) < 1e-12);
    Bytes out(1024);
    processor->read(out, places[1]);
    QVERIFY(out == Bytes(1024, std::byte{3}));
  }

  void what_went_wrong_is_told_once_and_the_next_call_is_tried() {
    auto processor = open_processor();
    std::string text = kAddThree;
    auto library = processor->load(bytes_of(text)).value();
    void* kernel = library->find("add").value();
    MemoryPlace large{processor->allocate(4096).value(), 0},
        small{processor->allocate(100).value(), 0};
    QCOMPARE(processor->call(kernel, std::vector<MemoryPlace>{large, small}), 1);
    auto failure = processor->take_failure();
    QVERIFY(failure &&
            failure->message == "'o' of the kernel 'add' takes 1024 bytes, and there are 100");
    QVERIFY(!processor->take_failure());
    QCOMPARE(processor->call(kernel, std::vector<MemoryPlace>{large}), 1);
    QVERIFY(processor->take_failure()->message.find("takes 2 buffers, not 1") != std::string::npos);
    QCOMPARE(processor->call(kernel, std::vector<MemoryPlace>{large, {}}), 1);
    QVERIFY(processor->take_failure());
    QCOMPARE(processor->call(kernel, std::vector<MemoryPlace>{large, large}), 0);
  }

  void libraries_and_tensors_that_do_not_fit_are_refused() {
    auto processor = open_processor("pynq-4x8");
    std::string text = kAddThree;
    auto other = processor->load(bytes_of(text));
    QVERIFY(!other && other.error().code == "module_not_loadable");
    QVERIFY(other.error().message.find("'1x16_i8w8a32_15_15_18_17', and this one is '4x8_") !=
            std::string::npos);
    std::string nonsense =
        "\x7f"
        "ELF";
    auto none = processor->load(bytes_of(nonsense));
    QVERIFY(!none && none.error().message.find("line 1") != std::string::npos);
    auto large = processor->allocate(int64_t(65) << 20);
    QVERIFY(!large && large.error().code == "tensor_too_large");
    QVERIFY(!processor->allocate(-1));
    auto pynq = open_processor();
    auto library = pynq->load(bytes_of(text)).value();
    auto symbol = library->find("subtract");
    QVERIFY(!symbol && symbol.error().code == "symbol_not_found");
  }

  void memory_is_zero_and_can_be_copied_over_itself() {
    auto processor = open_processor();
    void* memory = processor->allocate(100).value();
    Bytes bytes(100, std::byte{1});
    processor->read(bytes, {memory, 0});
    QVERIFY(bytes == Bytes(100));
    for (size_t i = 0; i < 100; ++i) bytes[i] = std::byte(i);
    processor->write({memory, 0}, bytes);
    processor->copy({memory, 10}, {memory, 0}, 90);
    Bytes read(100);
    processor->read(read, {memory, 0});
    QVERIFY(std::equal(read.begin() + 10, read.end(), bytes.begin()));
    processor->release(memory);
    QVERIFY(processor->allocate(int64_t(64) << 20));
  }
};

QTEST_GUILESS_MAIN(ProcessorTest)
#include "processor_test.moc"
