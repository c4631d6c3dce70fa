// Models that XGBoost itself trains and predicts with, read as our own trees.
#include "engine/learning/xgboost_model.h"

#include <xgboost/c_api.h>

#include <QtTest>
#include <nlohmann/json.hpp>

#include "tests/learning/synthetic.h"

using namespace tw;

namespace {

void succeeds(int code) {
  if (code != 0) qFatal("%s", XGBGetLastError());
}

DMatrixHandle matrix_of(TrainingRows const& rows) {
  DMatrixHandle matrix = nullptr;
  succeeds(XGDMatrixCreateFromMat(rows.features.data(), rows.rows(), rows.width,
                                  std::numeric_limits<float>::quiet_NaN(), &matrix));
  succeeds(XGDMatrixSetFloatInfo(matrix, "label", rows.targets.data(), rows.rows()));
  return matrix;
}

/// A model as XGBoost writes it, and what XGBoost predicts for other rows.
struct Peer {
  std::string json;
  std::vector<float> predictions;
};

Peer peer(TrainingRows const& rows, TrainingRows const& other, char const* objective, int depth,
          int rounds, char const* booster_kind = "gbtree") {
  DMatrixHandle matrix = matrix_of(rows), unseen = matrix_of(other);
  auto all = unsigned(rows.rows());
  if (std::string(objective).starts_with("rank"))
    succeeds(XGDMatrixSetUIntInfo(matrix, "group", &all, 1));
  BoosterHandle booster = nullptr;
  succeeds(XGBoosterCreate(&matrix, 1, &booster));
  for (auto const& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"objective", objective},
                                                        {"booster", booster_kind},
                                                        {"nthread", "1"},
                                                        {"verbosity", "0"},
                                                        {"max_depth", std::to_string(depth)}})
    succeeds(XGBoosterSetParam(booster, name.c_str(), value.c_str()));
  for (int round = 0; round < rounds; ++round)
    succeeds(XGBoosterUpdateOneIter(booster, round, matrix));
  Peer made;
  bst_ulong size = 0;
  char const* bytes = nullptr;
  succeeds(XGBoosterSaveModelToBuffer(booster, R"({"format": "json"})", &size, &bytes));
  made.json.assign(bytes, size);
  float const* values = nullptr;
  succeeds(XGBoosterPredict(booster, unseen, 0, 0, 0, &size, &values));
  made.predictions.assign(values, values + size);
  XGBoosterFree(booster);
  XGDMatrixFree(matrix);
  XGDMatrixFree(unseen);
  return made;
}

}  // namespace

class XgboostModelTest : public QObject {
  Q_OBJECT
private slots:
  void our_trees_predict_what_xgboost_predicts_data() {
    QTest::addColumn<QString>("objective");
    QTest::addColumn<double>("missing");
    for (char const* objective : {"reg:squarederror", "rank:pairwise"})
      for (double missing : {0.0, 0.2, 0.9})
        QTest::addRow("%s, %.0f %% missing", objective, missing * 100) << objective << missing;
  }
  void our_trees_predict_what_xgboost_predicts() {
    QFETCH(QString, objective);
    QFETCH(double, missing);
    for (int depth : {1, 3, 6, 10})
      for (int rounds : {1, 60}) {
        TrainingRows rows = testing::hill_rows(400, 24, 1, missing);
        TrainingRows other = testing::hill_rows(2000, 24, 2, missing);
        Peer expected = peer(rows, other, objective.toLatin1().data(), depth, rounds);
        auto trees = parse_xgboost_model(expected.json);
        QVERIFY2(trees, trees ? "" : trees.error().message.c_str());
        QCOMPARE(trees->size(), size_t(rounds));
        std::vector<float> found = trees->predict(other.table());
        for (size_t i = 0; i < found.size(); ++i) {
          double difference = std::fabs(double(found[i]) - double(expected.predictions[i]));
          QVERIFY2(difference <= 1e-5, qPrintable(QString::number(difference)));
        }
        QVERIFY(rounds == 1 || std::ranges::min(found) < std::ranges::max(found));
      }
  }

  void constant_rows_make_trees_of_one_leaf() {
    TrainingRows rows = testing::hill_rows(30, 5, 1);
    std::ranges::fill(rows.features, 1.0f);
    Peer expected = peer(rows, rows, "reg:squarederror", 3, 4);
    auto trees = parse_xgboost_model(expected.json).value();
    QCOMPARE(trees.tree(0).depth, 0);
    QVERIFY(std::fabs(double(trees.predict(rows.table())[0]) - double(expected.predictions[0])) <
            1e-5);
  }

  void models_of_other_kinds_are_refused_by_name() {
    TrainingRows rows = testing::hill_rows(50, 5, 1);
    for (float& target : rows.targets) target = std::min(target, 1.0f);  // a probability
    for (char const* objective : {"reg:logistic", "count:poisson"}) {
      auto found = parse_xgboost_model(peer(rows, rows, objective, 2, 1).json);
      QVERIFY(!found && found.error().code == "unknown_model");
      QVERIFY(QString::fromStdString(found.error().message).contains(objective));
    }
    auto linear = parse_xgboost_model(peer(rows, rows, "reg:squarederror", 2, 1, "gblinear").json);
    QVERIFY(!linear && linear.error().code == "unknown_model");
  }

  void damage_is_a_sentence() {
    TrainingRows rows = testing::hill_rows(50, 5, 1);
    std::string text = peer(rows, rows, "reg:squarederror", 2, 1).json;
    auto const model = nlohmann::json::parse(text);
    auto message = [](nlohmann::json const& json) {
      auto found = parse_xgboost_model(json.dump());
      return found ? std::string() : found.error().message;
    };
    QCOMPARE(message(model), std::string());
    QVERIFY(!parse_xgboost_model(text.substr(0, text.size() / 2)));
    for (char const* empty : {"", "{}", "[]", "null", "3"}) QVERIFY(!parse_xgboost_model(empty));
    nlohmann::json::json_pointer const tree("/learner/gradient_booster/model/trees/0");
    auto with = [&](char const* field, nlohmann::json value) {
      nlohmann::json changed = model;
      changed[tree][field][0] = std::move(value);
      return message(changed);
    };
    std::string const damaged = "this is no model of XGBoost that can be read: ";
    QCOMPARE(with("left_children", 0), damaged + "a tree is deeper than 10");  // a circle
    QVERIFY(with("right_children", 99).starts_with(damaged));
    QCOMPARE(with("right_children", -1), damaged + "node 0 has one child");
    QCOMPARE(with("left_children", 1.5), damaged + "an integer is missing");
    QCOMPARE(with("split_conditions", 1e300), damaged + "a number is missing or too large");
    QCOMPARE(with("split_indices", -7), damaged + "a feature has no number");
    QCOMPARE(with("split_indices", 5), std::string("tree 0 asks for feature 5 of 5"));
    nlohmann::json without = model;
    without[tree].erase("default_left");
    QVERIFY(message(without).starts_with(damaged));
    nlohmann::json wide = model;
    wide["learner"]["learner_model_param"]["num_feature"] = "1e30";
    QCOMPARE(message(wide), damaged + "it has no number of features");
  }
};

QTEST_APPLESS_MAIN(XgboostModelTest)
#include "xgboost_model_test.moc"
