// What the processor's cache holds of main memory, and what loads from it cost.
#include "targets/vta/simulator/port_cache.h"

#include <QtTest>

#include <algorithm>
#include <list>

#include "engine/support/base/random.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/simulator/timing.h"

using namespace tw;
using namespace tw::vta;

namespace {

/// The same by a plain list of the lines that were touched last.
class PlainCache {
public:
  explicit PlainCache(int64_t bytes) : room_(size_t(bytes / 512)) {}
  int64_t touch(int64_t address, int64_t bytes) {
    int64_t missed = 0;
    for (int64_t at = address; at < address + bytes; ++at) {
      int64_t line = at / 512;
      auto found = std::ranges::find(lines_, line);
      bool fresh = found == lines_.end();
      if (fresh || line == counted_) missed += fresh || is_new_;
      if (line != counted_ || at == address) counted_ = line, is_new_ = fresh;
      if (!fresh) lines_.erase(found);
      lines_.push_front(line);
      if (lines_.size() > room_) lines_.pop_back();
    }
    counted_ = -1;
    return missed;
  }

private:
  std::list<int64_t> lines_;
  size_t room_;
  int64_t counted_ = -1;
  bool is_new_ = false;
};

Instruction load(Memory memory, uint32_t dram, uint16_t count) {
  Instruction one;
  one.opcode = Opcode::kLoad;
  one.transfer.memory = memory;
  one.transfer.dram = dram;
  one.transfer.y_size = 1;
  one.transfer.x_size = one.transfer.x_stride = count;
  return one;
}

}  // namespace

class PortCacheTest : public QObject {
  Q_OBJECT
private slots:
  void it_holds_what_was_touched_last() {
    Rng rng(11);
    for (int round = 0; round < 20; ++round) {
      int64_t begin = 512 * rng.between(0, 1000), bytes = 512 * rng.between(1, 12);
      PortCache cache(bytes, begin, begin + 16384);
      PlainCache plain(bytes);
      for (int i = 0; i < 200; ++i) {
        int64_t at = begin + rng.between(0, 14000), count = rng.between(1, 2000);
        QCOMPARE(cache.touch(at, count), plain.touch(at, count));
      }
    }
  }

  /// The first time from main memory, the second time from the cache; not after much else.
  void a_load_costs_what_the_cache_does_not_hold() {
    Configuration c = *find_board("pynq");  // elements of INP are 16 bytes
    std::vector<Instruction> stream{load(Memory::kInp, 0, 1024), load(Memory::kInp, 0, 1024)};
    QCOMPARE(missed_bytes(c, stream, 1 << 16), (std::vector<int64_t>{16384, 0}));
    QCOMPARE(missed_bytes(c, stream, 1 << 13), (std::vector<int64_t>{16384, 16384}));
    stream.insert(stream.begin() + 1, load(Memory::kInp, 4096, 1024));
    QCOMPARE(missed_bytes(c, stream, 1 << 15), (std::vector<int64_t>{16384, 16384, 0}));
    QCOMPARE(missed_bytes(c, stream, 1 << 14), (std::vector<int64_t>{16384, 16384, 16384}));
    TimingConstants constants;
    stream.erase(stream.begin() + 1);
    auto busy = [&](size_t count) {
      std::vector<Instruction> part(stream.begin(), stream.begin() + int64_t(count));
      part.emplace_back().opcode = Opcode::kFinish;
      auto run = run_timed(c, part, {}, {.execute = false});
      if (!run) qFatal("%s", to_sentence(run.error()).c_str());
      return run->busy.load;
    };
    double first = constants.dma_row_cycles + 16384 / constants.memory_bytes_per_cycle,
           second = constants.dma_row_cycles + 16384 / constants.dma_bytes_per_cycle;
    // Fetch takes a part of the port for the instructions themselves.
    QVERIFY2(std::abs(busy(1) - first) < 50, qPrintable(QString::number(busy(1))));
    QVERIFY2(std::abs(busy(2) - first - second) < 50, qPrintable(QString::number(busy(2))));
  }
};

QTEST_GUILESS_MAIN(PortCacheTest)
#include "port_cache_test.moc"
