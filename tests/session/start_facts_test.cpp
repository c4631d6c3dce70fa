// What a start page tells of samples: true to the model, kept from start to start.
#include <QtTest>

#include <filesystem>

#include "engine/session/model/loaded_model.h"
#include "engine/session/start_page_data.h"
#include "engine/session/use_cases.h"
#include "engine/support/files.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string product() { return start_samples().back().source; }

}  // namespace

class StartFactsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = make_environment().value().backend; }

  void every_sample_can_be_opened_by_its_source() {
    QCOMPARE(start_samples().size(), sample_list().size() + 1);
    for (StartSample const& one : start_samples()) {
      auto model = load_model(one.source, {}, *backend_);
      QVERIFY2(model, one.name.c_str());
    }
  }

  void a_story_is_what_the_model_is() {
    QTemporaryDir folder;
    StartPageData facts(backend_, folder.path().toStdString(), "1");
    QVERIFY(!facts.kept("sample:dqn"));
    SampleSummary story = facts.story("sample:dqn", nullptr).value();
    Model model = load_model("sample:dqn", {}, *backend_).value();
    QCOMPARE(story.operators, model_view(*model).operators);
    QCOMPARE(story.kernels, model_view(*model).kernels);
    int row = find_kernel(*model, story.kernel).value();
    for (KernelTask const& other : model->plan.kernels)
      QVERIFY(other.flops * other.count <= model->kernel(row).flops * model->kernel(row).count);
    QVERIFY(story.loops.size() >= 3 && story.loops.size() <= 16);
    QVERIFY(!story.model_ms && !story.measured_ms);
  }

  void the_loop_nest_of_the_product_covers_all_its_iterations() {
    QTemporaryDir folder;
    StartPageData facts(backend_, folder.path().toStdString(), "1");
    SampleSummary story = facts.story(product(), nullptr).value();
    QCOMPARE(story.operators, 0);
    QCOMPARE(story.kernels, 1);
    double iterations = 1;
    for (SummaryLoop const& loop : story.loops) iterations *= double(loop.extent);
    QVERIFY2(iterations >= 1024.0 * 1024 * 1024, qPrintable(QString::number(iterations)));
  }

  void with_roofs_there_is_a_modelled_time() {
    QTemporaryDir folder;
    StartPageData facts(backend_, folder.path().toStdString(), "1");
    Roofs roofs;
    Rate rate;
    rate.one_core = 100;
    rate.all_cores = 200;
    for (char const* unit : {"vector", "scalar"})
      roofs.compute.push_back({"FMA f32", unit, "f32", rate});
    for (char const* level : {"L1", "L2", "L3", "DRAM"})
      roofs.memory.push_back({level, 1 << 20, rate, rate});
    MachineView machine;
    machine.rates = std::make_shared<Roofs const>(roofs);
    SampleSummary story = facts.story(product(), &machine).value();
    QVERIFY(story.model_ms);
    // 2 GFLOP at 200 GFLOP/s take 10.7 ms at the least.
    QVERIFY2(*story.model_ms >= 10.7 && *story.model_ms < 1000,
             qPrintable(QString::number(*story.model_ms)));
    QCOMPARE(facts.kept(product())->model_ms.has_value(), true);
    // Of one kernel that is all there is, the promise is the model's time, and the plain nest is
    // slower.
    KernelEstimate promise = facts.kept(product())->promise.value();
    QCOMPARE(promise.flops, 2.0 * 1024 * 1024 * 1024);
    QCOMPARE(promise.bytes, 3.0 * 4 * 1024 * 1024);
    QVERIFY(std::abs(promise.rule_ms - *story.model_ms) < 1e-3 * promise.rule_ms);
    QVERIFY(promise.plain_ms > 5 * promise.rule_ms);
  }

  void what_was_measured_is_kept_and_belongs_to_this_build() {
    QTemporaryDir folder;
    std::string path = folder.path().toStdString();
    QVERIFY(StartPageData(backend_, path, "1").keep_time(product(), 7.5));
    StartPageData again(backend_, path, "1");
    QCOMPARE(again.kept(product())->measured_ms, std::optional(7.5));
    // Told anew, it keeps its time.
    QCOMPARE(again.story(product(), nullptr)->measured_ms, std::optional(7.5));
    QVERIFY(!StartPageData(backend_, path, "2").kept(product()));
  }

  void a_file_that_is_damaged_is_no_story() {
    QTemporaryDir folder;
    std::string path = folder.path().toStdString();
    StartPageData facts(backend_, path, "1");
    QVERIFY(facts.story(product(), nullptr));
    int files = 0;
    for (auto const& entry : std::filesystem::directory_iterator(path + "/samples")) {
      std::string text = read_text(entry.path()).value();
      for (std::string const& damaged :
           {std::string(), std::string("{}"), text + "loop 1 2\n", text + "loop -1 0 4\n",
            text + "measured -3\n", text + "kernels 0\n", text + "promise 1 2 3\n",
            text + "promise 1 2 3 -4\n"}) {
        QVERIFY(write_file(entry.path(), damaged));
        QVERIFY2(!facts.kept(product()), damaged.c_str());
      }
      ++files;
    }
    QCOMPARE(files, 1);
    QVERIFY(facts.story(product(), nullptr) && facts.kept(product()));
  }

  void it_can_be_stopped() {
    QTemporaryDir folder;
    StartPageData facts(backend_, folder.path().toStdString(), "1");
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!facts.story("sample:dqn", nullptr, stop.get_token()));
    QVERIFY(!facts.kept("sample:dqn"));
    QVERIFY(!facts.roofs_measured());
  }

private:
  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(StartFactsTest)
#include "start_facts_test.moc"
