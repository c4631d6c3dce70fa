// Designs of the accelerator compared on the same layers: which there are, what they take, which of
// them nothing beats, and why some do not fit.
#include <QtTest>

#include <set>

#include "engine/te/te.h"
#include "targets/vta/explore/design.h"
#include "targets/vta/explore/explore.h"
#include "targets/vta/explore/space.h"
#include "targets/vta/hardware/boards.h"

using namespace tw;
using namespace tw::vta;

namespace {

DesignSpace small_space() {
  return {.base = *find_board("pynq"),
          .isa = {1},
          .log_block = {4},
          .log_batch = {0, 2},
          .log_uop_bytes = {15},
          .log_inp_bytes = {14, 15, 16},
          .log_wgt_bytes = {16, 18},
          .log_acc_bytes = {16, 17},
          .memory_bits = {64}};
}

Exploration explored(std::vector<Configuration> const& designs, ExploreOptions const& options = {},
                     WorkloadMaker const& maker = resnet18_workload) {
  auto all = explore(designs, maker, options, {}, {});
  if (!all) qFatal("%s", to_sentence(all.error()).c_str());
  return *all;
}

/// One convolution with that many channels in blocks of 16, whatever the design.
Result<Workload> blocks_of_16(Configuration const&) {
  TRY_ASSIGN(
      te::Kernel kernel,
      te::parse_kernel("tilewright te 1\n"
                       "kernel dense(X: i8[1, 4, 16], W: i8[4, 4, 16, 16] @param) -> Y\n"
                       "  sums[n in 1, o in 4, j in 16] = sum[c in 4, i in 16] i32(X[n, c, i]) * "
                       "i32(W[o, c, j, i])\n"
                       "  Y[n in 1, o in 4, j in 16]: i8 = i8(min(max(sums[n, o, j] >> 7:i32, "
                       "-127:i32), 127:i32))\n"));
  Workload workload;
  workload.layers.push_back({"dense", 1, te::to_program(kernel)});
  return workload;
}

}  // namespace

class ExploreTest : public QObject {
  Q_OBJECT
private slots:
  void a_space_is_every_legal_combination_once() {
    DesignSpace space = small_space();
    space.log_acc_bytes = {16, 17, 20, 17};  // the third has no fields in version 1
    Designs designs = designs_in(space).value();
    QCOMPARE(int64_t(designs.legal.size()) + designs.illegal, int64_t(2 * 3 * 2 * 3));
    QVERIFY(designs.illegal > 0);
    std::set<std::string> keys;
    for (Configuration const& c : designs.legal) {
      QVERIFY(validate(c));
      QVERIFY2(keys.insert(c.key()).second, c.key().c_str());
    }
    space.most_sram = 300 * 1024;
    Designs bounded = designs_in(space).value();
    QCOMPARE(bounded.legal.size() + size_t(bounded.too_large), designs.legal.size());
    for (Configuration const& c : bounded.legal) QVERIFY(sram_bytes(c) <= space.most_sram);
    space.most_products = 256;
    Designs narrow = designs_in(space).value();
    QVERIFY(!narrow.legal.empty());
    for (Configuration const& c : narrow.legal) QCOMPARE(c.batch(), int64_t(1));
    QCOMPARE(designs_in(space, 10).error().code, std::string("too_many_designs"));
    space.most_sram = 1024;
    QCOMPARE(designs_in(space).error().message,
             std::to_string(designs.legal.size()) + " designs can be built, all beyond the bounds");
    space.log_acc_bytes = {20};
    QVERIFY(designs_in(space).error().message.starts_with(
        "12 designs, none of which can be built: the fields of a micro-op do not fit"));
  }

  /// The ten layers as often as they are there, as resources/docs/vta.md has them.
  void the_published_design_takes_what_its_layers_take() {
    Exploration all = explored({*find_board("pynq")});
    QCOMPARE(all.layers.size(), size_t(10));
    QVERIFY(all.unfit.empty());
    DesignCycles const& pynq = all.designs.front();
    double sum = 0;
    for (size_t i = 0; i < all.layers.size(); ++i)
      sum += all.layers[i].times * pynq.layers[i].cycles;
    QCOMPARE(pynq.cycles, sum);
    double ms = pynq.cycles / 100e3;
    QVERIFY2(ms > 86 && ms < 88.3, qPrintable(QString::number(ms)));
    QVERIFY(pynq.complete && pynq.front);
  }

  void a_run_of_a_larger_design_counts_where_it_fits() {
    Designs designs = designs_in(small_space()).value();
    QVERIFY(designs.legal.size() >= 20);
    QElapsedTimer timer;
    timer.start();
    Exploration reused = explored(designs.legal);
    qint64 with = timer.restart();
    Exploration alone = explored(designs.legal, {.reuse = RunReuse::kNone});
    qInfo("%zu designs: %lld ms, each by itself %lld ms", designs.legal.size(), with,
          timer.elapsed());
    QCOMPARE(reused.designs.size(), alone.designs.size());
    for (size_t i = 0; i < alone.designs.size(); ++i) {
      DesignCycles const &one = reused.designs[i], &other = alone.designs[i];
      QCOMPARE(one.configuration.key(), other.configuration.key());
      for (size_t layer = 0; layer < alone.layers.size(); ++layer)
        QCOMPARE(one.layers[layer].cycles, other.layers[layer].cycles);
    }
  }

  void the_front_is_what_nothing_beats() {
    DesignSpace space = small_space();
    space.log_wgt_bytes = {16, 17};
    Exploration all = explored(designs_in(space)->legal);
    int front = 0;
    for (DesignCycles const& one : all.designs) {
      bool beaten = std::ranges::any_of(all.designs, [&](DesignCycles const& other) {
        return other.complete && other.cycles <= one.cycles && other.sram <= one.sram &&
               (other.cycles < one.cycles || other.sram < one.sram);
      });
      if (one.complete && !beaten) QVERIFY2(one.front, one.configuration.key().c_str());
      if (beaten) QVERIFY2(!one.front, one.configuration.key().c_str());
      front += one.front;
    }
    QVERIFY(front >= 2);
    QVERIFY(std::ranges::is_sorted(all.designs, {}, &DesignCycles::cycles));
  }

  void a_layer_that_does_not_fit_says_why() {
    Configuration sixteen = *find_board("pynq"), eight = *find_board("pynq-4x8");
    Exploration all = explored({sixteen, eight}, {}, blocks_of_16);
    QCOMPARE(all.designs.size(), size_t(2));
    QVERIFY(all.designs[0].complete && !all.designs[1].complete && !all.designs[1].front);
    QCOMPARE(all.designs[1].layers[0].reason,
             std::string("it has no product of elements of 4 x 8"));
    Configuration tiny = sixteen;
    tiny.log_inp_bytes = 5;  // two elements, where a window of three by three reads more
    all = explored({sixteen, tiny});
    QVERIFY(all.designs[0].complete && !all.designs[1].complete);
    QCOMPARE(all.designs[1].layers[0].reason,
             std::string("no tile of it has room in the memories of data, weights and sums"));
  }

  void a_layer_that_no_design_runs_is_left_out() {
    Configuration wide = *find_board("pynq");
    wide.log_block = 6;  // 64 channels, of which C2 has one block
    Exploration all = explored({wide});
    QCOMPARE(all.layers.size(), size_t(10));
    Configuration tiny = *find_board("pynq");
    tiny.log_inp_bytes = 5;
    all = explored({tiny});
    QVERIFY(!all.unfit.empty());
    QVERIFY(all.unfit[0].reason.starts_with("C2: no tile"));
    auto none = explore({*find_board("pynq-4x8")}, blocks_of_16, {}, {}, {});
    QVERIFY(!none);
    QCOMPARE(none.error().code, std::string("nothing_fits"));
    QVERIFY(!explore({}, resnet18_workload, {}, {}, {}));
  }

  void it_can_be_stopped_and_says_how_far_it_is() {
    std::stop_source source;
    int64_t last = 0, total = 0;
    Progress progress = [&](ProgressReport const& at) {
      if (at.total == 0) return;
      QVERIFY(at.done == last + 1);
      last = at.done, total = at.total;
      if (at.done == 3) source.request_stop();
    };
    Designs designs = designs_in(small_space()).value();
    auto all = explore(designs.legal, resnet18_workload, {}, source.get_token(), progress);
    QVERIFY(!all);
    QCOMPARE(all.error().code, std::string("cancelled"));
    QCOMPARE(total, int64_t(designs.legal.size() * 10));
    QVERIFY(last < total);
  }

  void threads_change_nothing() {
    Designs designs = designs_in(small_space()).value();
    designs.legal.resize(4);
    Exploration one = explored(designs.legal, {.threads = 1});
    Exploration four = explored(designs.legal, {.threads = 4});
    for (size_t i = 0; i < one.designs.size(); ++i)
      QCOMPARE(one.designs[i].cycles, four.designs[i].cycles);
  }
};

QTEST_GUILESS_MAIN(ExploreTest)
#include "explore_test.moc"
