// Kernels in an order and with words that somebody chose, their shares of the model's time, and
// steps in few words.
#include <QtTest>

#include "engine/session/kernel_rows.h"
#include "engine/session/step_words.h"

using namespace tw;
using namespace tw::session;

namespace {

KernelRow row(std::string name, std::string operators, int count, int64_t flops,
              std::optional<double> ms, KernelState state = KernelState::kDefault) {
  KernelRow made;
  made.name = std::move(name);
  made.operators = std::move(operators);
  made.count = count;
  made.flops = flops;
  made.time_ms = ms;
  made.state = state;
  return made;
}

KernelTable table() {
  KernelTable made;
  made.rows = {row("conv2d_64", "pad conv2d relu", 4, 231'000'000, 0.5),
               row("max_pool", "max_pool", 1, 0, 0.2),
               row("gemm_1000", "gemm bias_add", 1, 1'000'000, 1.5, KernelState::kHand),
               row("conv2d_128", "conv2d relu", 2, 115'000'000, std::nullopt)};
  made.rows[0].roof = KernelRoofView{.arithmetic = true, .level = "L2"};
  made.rows[2].roof = KernelRoofView{.arithmetic = false, .level = "DRAM"};
  return made;
}

using Rows = std::vector<int>;

}  // namespace

class KernelRowsTest : public QObject {
  Q_OBJECT
private slots:
  void rows_are_sorted_by_any_column_and_what_is_not_known_comes_last() {
    KernelTable const all = table();
    auto sorted = [&](KernelKey key, bool reversed = false) {
      return chosen_rows(all, {key, reversed}, "");
    };
    QCOMPARE(sorted(KernelKey::kModel), (Rows{0, 1, 2, 3}));
    QCOMPARE(sorted(KernelKey::kModel, true), (Rows{3, 2, 1, 0}));
    QCOMPARE(sorted(KernelKey::kName), (Rows{3, 0, 2, 1}));
    QCOMPARE(sorted(KernelKey::kTime), (Rows{2, 0, 1, 3}));
    QCOMPARE(sorted(KernelKey::kTime, true), (Rows{1, 0, 2, 3}));  // the unknown one still last
    QCOMPARE(sorted(KernelKey::kShare), (Rows{0, 2, 1, 3}));       // 4 x 0.5 is more than 1.5
    QCOMPARE(sorted(KernelKey::kWork), (Rows{0, 3, 2, 1}));
    QCOMPARE(sorted(KernelKey::kCount), (Rows{0, 3, 1, 2}));
    QCOMPARE(sorted(KernelKey::kBound), (Rows{2, 0, 1, 3}));  // "DRAM" before "arithmetic"
  }

  void words_are_looked_for_everywhere_or_where_they_say() {
    KernelTable const all = table();
    auto with = [&](char const* words) { return chosen_rows(all, {}, words); };
    QCOMPARE(with("conv2d"), (Rows{0, 3}));
    QCOMPARE(with("CONV2D pad"), (Rows{0}));
    QCOMPARE(with("op:relu"), (Rows{0, 3}));
    QCOMPARE(with("op:64"), Rows());
    QCOMPARE(with("state:hand"), (Rows{2}));
    QCOMPARE(with("hand"), (Rows{2}));
    QCOMPARE(with("bound:dram"), (Rows{2}));
    QCOMPARE(with("bound:arithmetic"), (Rows{0}));
    QCOMPARE(with("  "), (Rows{0, 1, 2, 3}));
    QCOMPARE(with("nothing"), Rows());
  }

  void shares_are_at_most_what_they_are_while_a_time_is_missing() {
    KernelTable all = table();
    auto first = share_of(all, all.rows[0]);
    QVERIFY(first && first->at_most);
    QCOMPARE(first->share, 2.0 / 3.7);
    QCOMPARE(share_text(*first), std::string("≤ 54 %"));
    QVERIFY(!share_of(all, all.rows[3]));
    all.rows[3].time_ms = 0.15;
    first = share_of(all, all.rows[0]);
    QVERIFY(!first->at_most);
    QCOMPARE(first->share, 0.5);
    all.rows.push_back(row("mine", "", 1, 1, 1000));
    all.rows[4].own_text = "kernel mine";  // no part of the model
    QCOMPARE(share_of(all, all.rows[0])->share, 0.5);
  }

  void a_column_has_one_name_and_others_are_refused() {
    for (KernelKeyInfo const& one : kernel_keys()) QVERIFY(*kernel_key(one.name) == one.key);
    auto wrong = kernel_key("speed");
    QVERIFY(!wrong && wrong.error().code == "unknown_column");
    QVERIFY(wrong.error().message.find("time, share") != std::string::npos);
  }

  void steps_are_said_in_few_words_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("words");
    auto row = [](char const* line, char const* words) { QTest::newRow(line) << line << words; };
    row("o.0, o.1 = split(conv2d.o, factor=16)", "split o 16");
    row("vectorize(conv2d.x.1)", "vectorize x.1");
    row("reorder(C.i.0, C.j.0, C.k)", "reorder i.0 j.0 k");
    row("A_shared = cache_read(C, A, \"shared\")", "cache_read C A \"shared\"");
    row("compute_at(pad, conv2d.x.0)", "compute_at pad x.0");
    row("pack(W, layout=[o, 16, c])", "pack W [o, 16, c]");
    row("skip_padding(conv2d)", "skip_padding conv2d");
    row("sync()", "sync");
    row("plain", "plain");
    row("split(C.i, factor=2)\nvectorize(C.i.1)", "split(C.i, factor=2)\nvectorize(C.i.1)");
  }
  void steps_are_said_in_few_words() {
    QFETCH(QString, line);
    QFETCH(QString, words);
    QCOMPARE(QString::fromStdString(short_step(line.toStdString())), words);
  }
};

QTEST_GUILESS_MAIN(KernelRowsTest)
#include "kernel_rows_test.moc"
