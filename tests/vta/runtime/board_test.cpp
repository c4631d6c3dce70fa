// A board's driver against emulated registers: what is right, and what goes wrong.
#include <QtTest>
#include <fstream>

#include "targets/vta/hardware/boards.h"
#include "targets/vta/runtime/run_kernel.h"
#include "targets/vta/runtime/start_and_wait.h"
#include "tests/support/vta_board.h"
#include "tests/support/vta_calls.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;
using namespace std::chrono_literals;

namespace {

/// Runs the program on the driver; the tensors as they are afterwards, or the error.
Result<std::vector<Bytes>> run(Driver& driver, CallProgram const& program,
                               std::vector<Bytes> tensors, std::chrono::milliseconds limit = 5s) {
  std::vector<uint64_t> addresses;
  Status status;
  for (Bytes const& bytes : tensors) {
    TRY_ASSIGN(uint64_t address, driver.allocate(int64_t(bytes.size())));
    addresses.push_back(address);
    if (status) status = driver.write(address, bytes);
  }
  if (status) status = LoadedKernel(program).run(driver, addresses, limit);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (status) status = driver.read(tensors[i], addresses[i]);
    driver.release(addresses[i]);
  }
  if (!status) return std::unexpected(status.error());
  return tensors;
}

struct Case {
  CallProgram program;
  std::vector<Bytes> tensors, right;
};
Case some_case(uint64_t seed) {
  Rng rng(seed);
  Case made{
      .program = RandomCalls(rng).program(15, *find_board("pynq")), .tensors = {}, .right = {}};
  for (CallTensor const& tensor : made.program.tensors) {
    Bytes& bytes = made.tensors.emplace_back(size_t(tensor.bytes));
    for (std::byte& byte : bytes) byte = std::byte(rng.next());
  }
  made.right = made.tensors;
  CallReference(made.program).run(made.right);
  return made;
}

BoardState board(char const* name = "pynq") {
  return BoardState(*find_board("pynq"), layout_of(name).value());
}

bool says(Error const& error, char const* code, char const* words) {
  if (error.code == code && error.message.find(words) != std::string::npos) return true;
  qWarning("%s: %s", error.code.c_str(), error.message.c_str());
  return false;
}

}  // namespace

class BoardTest : public QObject {
  Q_OBJECT
private slots:
  void every_kind_of_board_computes_what_calls_say() {
    for (char const* name : {"pynq", "ultra96", "zcu104", "de10nano"}) {
      BoardState state = board(name);
      auto driver = emulated_board(state);
      for (uint64_t seed = 1; seed <= 5; ++seed) {
        Case one = some_case(seed);
        state.machine = Machine(one.program.configuration);  // what plain loops begin with
        auto got = run(*driver, one.program, one.tensors);
        QVERIFY2(got, got ? "" : to_sentence(got.error()).c_str());
        QVERIFY2(*got == one.right, name);
      }
      QCOMPARE(state.runs, 5);
    }
  }

  /// The flag still says 1 from the run before, and goes only when the compute module begins.
  void a_done_flag_of_the_run_before_is_not_believed() {
    for (int fetch : {1, 2, 7, 150})
      for (int finish : {5, 40, 400}) {
        BoardState state = board();
        state.faults = {.fetch_reads = fetch, .finish_reads = finish};
        auto driver = emulated_board(state);
        for (uint64_t seed = 1; seed <= 3; ++seed) {
          Case one = some_case(seed);
          state.machine = Machine(one.program.configuration);
          state.done = 1;
          QVERIFY(run(*driver, one.program, one.tensors).value() == one.right);
        }
      }
  }

  void modules_do_not_start_again_by_themselves_after_a_run() {
    BoardState state = board();
    auto driver = emulated_board(state);
    Case one = some_case(1);
    QVERIFY(run(*driver, one.program, one.tensors));
    for (size_t module = 1; module < 4; ++module)
      QCOMPARE(state.registers.at(state.layout.blocks[module]), uint32_t(0));
  }

  void a_run_that_is_never_done_ends_in_time_and_says_how_far_it_came() {
    BoardState state = board();
    state.faults.never_done = true;
    auto driver = emulated_board(state);
    Case one = some_case(1);
    auto got = run(*driver, one.program, one.tensors, 50ms);
    QVERIFY(!got && says(got.error(), "accelerator_timed_out", "within 50 ms: all were fetched"));
    auto again = run(*driver, one.program, one.tensors, 50ms);
    QVERIFY(!again && says(again.error(), "accelerator_busy", "must be loaded again"));
  }

  void instructions_that_cannot_be_read_end_in_time_and_say_where_they_are() {
    BoardState state = board();
    state.faults.dma_error = true;
    auto driver = emulated_board(state);
    Case one = some_case(1);
    auto got = run(*driver, one.program, one.tensors, 50ms);
    QVERIFY(!got && says(got.error(), "accelerator_timed_out", "not all fetched from 0x"));
  }

  void a_board_of_one_block_that_stands_still_ends_in_time() {
    BoardState state = board("de10nano");
    state.faults.never_done = true;
    auto driver = emulated_board(state);
    Case one = some_case(1);
    auto got = run(*driver, one.program, one.tensors, 50ms);
    QVERIFY(!got && says(got.error(), "accelerator_timed_out", "hangs"));
  }

  void an_accelerator_that_still_runs_is_not_started() {
    BoardState state = board();
    state.reads = 0, state.faults.never_done = true, state.faults.fetch_reads = 1 << 20;
    EmulatedRegisters registers(state);
    auto done = start_and_wait(registers, state.layout, {.stream = 0x20000, .count = 1});
    QVERIFY(!done && says(done.error(), "accelerator_busy", "still fetches"));
  }

  void memory_that_does_not_keep_what_is_written_is_noticed() {
    BoardState state = board();
    auto driver = emulated_board(state);
    state.faults.bad_memory = true;
    Case one = some_case(1);
    auto got = run(*driver, one.program, one.tensors);
    QVERIFY(!got && says(got.error(), "corrupted_upload", "does not hold what is put there"));
    QCOMPARE(state.runs, 0);
  }

  void tensors_between_elements_are_moved_and_moved_back() {
    BoardState state = board();
    auto driver = emulated_board(state);
    Case one = some_case(3);
    std::vector<uint64_t> addresses;
    for (Bytes const& bytes : one.tensors) {
      addresses.push_back(driver->allocate(int64_t(bytes.size()) + 64).value() + 24);
      QVERIFY(driver->write(addresses.back(), bytes));
    }
    QVERIFY(LoadedKernel(one.program).run(*driver, addresses, 5s));
    for (size_t i = 0; i < addresses.size(); ++i) {
      QVERIFY(driver->read(one.tensors[i], addresses[i]));
      QVERIFY(one.tensors[i] == one.right[i]);
    }
  }

  void memory_that_is_given_back_is_given_again_and_zero() {
    BoardState state = board();
    auto driver = emulated_board(state);
    uint64_t first = driver->allocate(5000).value(), second = driver->allocate(0).value();
    QCOMPARE(first % 4096, uint64_t(0));
    QCOMPARE(second, first + 8192);
    QVERIFY(driver->write(first, Bytes(5000, std::byte{7})));
    driver->release(first);
    QCOMPARE(driver->allocate(4000).value(), first);
    Bytes read(4000, std::byte{1});
    QVERIFY(driver->read(read, first));
    QVERIFY(read == Bytes(4000));
    auto none = driver->allocate(int64_t(1) << 40);
    QVERIFY(!none && says(none.error(), "tensor_too_large", "contiguous"));
  }

  void the_buffer_of_a_kernel_driver_is_mapped() {
    QTemporaryDir folder;
    std::filesystem::path place = folder.path().toStdString();
    std::ofstream(place / "udmabuf0") << std::string(16384, 'x');
    std::ofstream(place / "size") << "16384\n";
    std::ofstream(place / "phys_addr") << "0x1f400000\n";
    auto memory = open_udmabuf(place / "udmabuf0", place);
    QVERIFY2(memory, memory ? "" : memory.error().message.c_str());
    QCOMPARE((*memory)->regions()[0].physical, uint64_t(0x1f400000));
    QCOMPARE((*memory)->regions()[0].host.size(), size_t(16384));
    QCOMPARE((*memory)->regions()[0].host[5], std::byte('x'));
    std::ofstream(place / "size") << "many\n";
    auto bad = open_udmabuf(place / "udmabuf0", place);
    QVERIFY(!bad && says(bad.error(), "no_such_hardware", "holds no number"));
    auto absent = open_udmabuf(place / "udmabuf0", place / "facts");
    QVERIFY(!absent && says(absent.error(), "no_such_hardware", "udmabuf0 gives no memory"));
  }

  void the_vendors_library_gives_pieces() {
    static int64_t left = 0;
    left = int64_t(40) << 20;
    CmaFunctions functions{.allocate = [](uint32_t bytes, uint32_t) -> void* {
                             if (bytes > left) return nullptr;
                             left -= bytes;
                             return std::malloc(bytes);
                           },
                           .release = [](void* memory) { std::free(memory); },
                           .physical_address = [](void*) { return uint32_t(0x1000'0000); }};
    auto memory = open_cma(functions, int64_t(100) << 20);
    QVERIFY(memory);
    QCOMPARE((*memory)->regions().size(), size_t(2));
    QCOMPARE(left, int64_t(0));
    left = 100;
    auto none = open_cma(functions, int64_t(100) << 20);
    QVERIFY(!none && says(none.error(), "no_such_hardware", "gives no contiguous memory"));
    auto library = load_cma("libno-such-library.so");
    QVERIFY(!library && says(library.error(), "no_such_hardware", "cannot be loaded"));
    auto other = load_cma("libm.so.6");
    QVERIFY(!other && says(other.error(), "no_such_hardware", "is not the library"));
  }

  void a_machine_without_a_board_says_what_is_missing() {
    auto layout = layout_of("sim");
    QVERIFY(!layout && says(layout.error(), "no_such_hardware", "'sim'"));
    auto registers = map_registers(layout_of("pynq").value(), "/no/such/file");
    QVERIFY(!registers &&
            says(registers.error(), "no_such_hardware", "/no/such/file cannot be opened"));
    auto opened = open_board(*find_board("pynq"), 1 << 20);
    QVERIFY(!opened && opened.error().code == "no_such_hardware");
  }
};

QTEST_GUILESS_MAIN(BoardTest)
#include "board_test.moc"
