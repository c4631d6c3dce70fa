// No kernel of the five samples shows more than its roof, by times and roofs that were recorded on
// one machine in one run; the live run is kernel_roofs_slow_test.
#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/device/hardware_text.h"
#include "engine/support/files.h"
#include "tests/session/measured_models.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

class KernelRoofsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    std::string text =
        read_file(testing::source("/tests/session/recorded/kernel_times.json")).value();
    record_ = nlohmann::json::parse(text);
    machine_.hardware = std::make_shared<Hardware const>(
        parse_hardware(record_["hardware"].get<std::string>()).value());
    machine_.rates =
        std::make_shared<Roofs const>(parse_roofs(record_["roofs"].get<std::string>()).value());
  }

  void no_kernel_shows_more_than_its_roof() {
    auto environment = make_environment().value();
    int kernels = 0, by_data = 0;
    std::string highest;
    double most = 0;
    for (auto const& run : record_["runs"]) {
      std::string source = run["model"];
      int threads = run["threads"];
      Model model = load_model(source, {}, *environment.backend).value();
      std::map<std::string, double> times = run["kernel_ms"];
      auto shares = testing::shares_of(*model, times, machine_, threads);
      QCOMPARE(shares.size(), times.size());
      for (testing::KernelShare const& share : shares) {
        std::string words = testing::words_of(source, threads, share);
        QVERIFY2(share.share() <= kMostOfRoof, words.c_str());
        QVERIFY2(share.share() > 0.002, words.c_str());
        QCOMPARE(fraction_of(share.roof, share.ms).value(), share.share());
        if (share.share() > most) most = share.share(), highest = words;
        ++kernels;
        by_data += share.roof.moves_data;
      }
    }
    qInfo("%d kernels, %d of them say GB/s; the highest: %s", kernels, by_data, highest.c_str());
    QVERIFY(kernels >= 80);  // five samples, with one thread and with all
    QVERIFY(by_data >= 6);
  }

  /// 22755 % of the roof was the first number of the LSTM sample.
  void the_words_that_a_gather_looks_up_say_the_level_where_they_lie() {
    auto environment = make_environment().value();
    Model model = load_model("sample:lstm", {}, *environment.backend).value();
    int row = find_kernel(*model, "gather_20x1x650").value();
    auto roof = roof_view(needs_of(*model, row, plain_program(*model, row).value()), machine_, 1);
    QVERIFY(roof && roof->moves_data && !roof->arithmetic);
    QCOMPARE(roof->unit, std::string("GB/s"));
    QVERIFY(roof->bytes < 120'000);
    QVERIFY(roof->level == "L1" || roof->level == "L2");
    QVERIFY(roof->words.ends_with(" GB/s of " + roof->level + ", 1 core"));
    QCOMPARE(roof->cores, 1);
  }

private:
  nlohmann::json record_;
  MachineView machine_;
};

QTEST_GUILESS_MAIN(KernelRoofsTest)
#include "kernel_roofs_test.moc"
