#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/support/paths.h"

namespace fs = std::filesystem;

namespace {

/// What a folder may include, without what follows from it (everything may use support/base). A
/// star stands for the name of a target, the same on both sides.
std::map<std::string, std::set<std::string>> const kMayInclude = {
    {"engine/support/base", {}},
    {"engine/support", {}},
    {"engine/tensor", {}},
    {"engine/hardware", {}},
    {"engine/ir", {"engine/tensor", "engine/support"}},
    {"engine/arith", {"engine/ir"}},
    {"engine/order", {}},
    {"engine/te", {"engine/arith"}},
    {"engine/target", {"engine/ir", "engine/hardware"}},
    {"engine/schedule", {"engine/arith", "engine/target"}},
    {"engine/lowering", {"engine/arith", "engine/target", "engine/order"}},
    {"engine/imported", {"engine/tensor", "engine/support"}},
    {"engine/graph", {"engine/te"}},
    {"engine/importers", {"engine/graph", "engine/imported"}},
    {"engine/samples", {"engine/importers"}},
    {"engine/analysis", {"engine/arith", "engine/target"}},
    {"engine/moves", {"engine/schedule", "engine/analysis"}},
    {"engine/runtime", {"engine/tensor", "engine/hardware"}},
    {"engine/device", {"engine/runtime", "engine/hardware", "engine/support"}},
    {"engine/history", {"engine/schedule"}},
    {"engine/records", {"engine/support"}},
    {"engine/learning", {"engine/support"}},
    {"engine/backend", {"engine/graph", "engine/schedule", "engine/lowering", "engine/analysis"}},
    {"engine/compile", {"engine/graph", "engine/backend", "engine/runtime"}},
    {"engine/execute", {"engine/compile", "engine/device"}},
    {"engine/measure", {"engine/execute"}},
    {"engine/tuner", {"engine/measure", "engine/records", "engine/learning"}},
    {"engine/package", {"engine/execute"}},
    {"engine/session",
     {"engine/tuner", "engine/package", "engine/history", "engine/moves", "engine/importers",
      "engine/samples"}},
    {"targets/shared", {"engine/lowering"}},
    {"targets/shared/launch_record", {"engine/support"}},
    {"targets/shared/gpu", {"engine/backend", "targets/shared/launch_record"}},
    {"targets/shared/gpu_pipeline", {"targets/shared/gpu"}},
    {"targets/shared/gpu_text", {"engine/runtime", "targets/shared", "targets/shared/gpu"}},
    {"targets/*/hardware", {"engine/hardware", "engine/support"}},
    {"targets/*/stream", {"targets/*/hardware"}},
    {"targets/*/simulator", {"targets/*/hardware"}},
    {"targets/*/prover", {"targets/*/simulator", "engine/order"}},
    {"targets/*/lint", {"targets/*/prover"}},
    {"targets/*/compiler",
     {"engine/backend", "engine/runtime", "targets/shared", "targets/shared/gpu",
      "targets/shared/gpu_pipeline", "targets/shared/gpu_text", "targets/*/hardware",
      "targets/*/stream", "targets/*/prover"}},
    {"targets/*/explore", {"targets/*/compiler", "engine/compile"}},
    {"targets/*/commands", {"engine/session", "targets/*/explore", "targets/*/lint"}},
    {"targets/*/runtime",
     {"engine/device", "targets/shared/launch_record", "targets/*/hardware", "targets/*/stream",
      "targets/*/simulator"}},
    {"targets/*/package", {"engine/runtime", "targets/*/runtime"}},
    {"app/device_server", {"engine/device"}},
    {"app/code_generator", {"targets/shared"}},
};

/// What the applications include besides the session's door (`engine/session/*.h`) and
/// `engine/support`: folders, and single headers where a folder would be too much.
std::map<std::string, std::set<std::string>> const kApplicationsMayInclude = {
    {"app/window",
     {"widgets", "app/window", "app/shared", "engine/session/facts", "engine/session/project",
      "engine/records", "engine/backend/target_table.h", "engine/hardware/hardware.h",
      "engine/schedule/macros/macro_set.h", "engine/session/views/graph_pairs.h"}},
    {"app/shared",
     {"app/shared", "app/window/panes/", "engine/session/facts", "engine/device", "engine/compile",
      "engine/backend/target_table.h", "engine/measure/roofs.h",
      "engine/analysis/counted_operations.h", "engine/session/cases/export_cases.h",
      "engine/session/views/graph_picture.h"}},
    {"app/cli",
     {"app/cli", "app/shared", "engine/session/facts", "engine/session/cases",
      "engine/session/project", "engine/records", "engine/device", "engine/backend", "engine/tuner",
      "engine/schedule", "engine/ir", "engine/compile/offload.h", "engine/hardware/timeline_text.h",
      "engine/measure/roofs.h", "engine/session/model/further_inputs.h",
      "engine/session/model/inspection.h", "engine/session/views/graph_picture.h",
      "engine/session/views/schedule_views.h"}},
};

constexpr int kMostLocks = 18, kMostCasts = 0;

/// The widgets see the session's headers only, and no further.
std::set<std::string> const kWidgetsMayInclude = {"widgets", "engine/session",
                                                  "engine/support/base"};

/// "cpu" of "targets/cpu/compiler/..."; empty elsewhere.
std::string target_of(std::string const& path) {
  if (!path.starts_with("targets/") || path.starts_with("targets/shared/")) return {};
  return path.substr(8, path.find('/', 8) - 8);
}

std::string with_target(std::string row, std::string const& target) {
  size_t star = row.find('*');
  return star == std::string::npos ? row : row.replace(star, 1, target);
}

std::string folder_of(std::string const& path) {
  std::string best;
  for (auto const& [row, rules] : kMayInclude) {
    std::string folder = with_target(row, target_of(path));
    if (path.starts_with(folder + "/") && folder.size() > best.size()) best = folder;
  }
  if (best.empty() && path.starts_with("widgets/")) best = "widgets";
  return best;
}

std::set<std::string> closure(std::string const& folder) {
  std::string target = target_of(folder + "/");
  std::map<std::string, std::set<std::string>> rules;
  for (auto const& [row, others] : kMayInclude)
    for (std::string const& other : others)
      rules[with_target(row, target)].insert(with_target(other, target));
  std::set<std::string> all{folder, "engine/support/base"};
  std::vector<std::string> open{folder};
  while (!open.empty()) {
    std::string next = open.back();
    open.pop_back();
    for (std::string const& other : rules[next])
      if (all.insert(other).second) open.push_back(other);
  }
  return all;
}

std::vector<std::string> includes_of(fs::path const& file) {
  static std::regex const pattern("^\\s*#\\s*include\\s+\"([^\"]+)\"");
  std::vector<std::string> found;
  std::ifstream stream(file);
  std::smatch match;
  for (std::string line; std::getline(stream, line);)
    if (std::regex_search(line, match, pattern)) found.push_back(match[1]);
  return found;
}

std::vector<fs::path> sources(std::string const& folder) {
  std::vector<fs::path> found;
  fs::path root = fs::path(tw::testing::source()) / folder;
  if (!fs::exists(root)) return found;
  for (auto const& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
      found.push_back(entry.path());
  return found;
}

}  // namespace

class LayeringTest : public QObject {
  Q_OBJECT
private slots:
  void a_folder_includes_only_what_its_row_allows() {
    QStringList broken;
    int checked = 0;
    for (char const* top :
         {"engine", "targets", "widgets", "app/device_server", "app/code_generator"})
      for (fs::path const& file : sources(top)) {
        std::string path = fs::relative(file, tw::testing::source()).string();
        std::string folder = folder_of(path);
        QVERIFY2(!folder.empty(), (path + " stands in no folder of the table").c_str());
        std::set<std::string> allowed = folder == "widgets" ? kWidgetsMayInclude : closure(folder);
        for (std::string const& include : includes_of(file)) {
          std::string other = folder_of(include);
          ++checked;
          if (!other.empty() && !allowed.count(other))
            broken << QString::fromStdString(path + " includes " + include);
        }
      }
    QVERIFY2(broken.isEmpty(), qPrintable(broken.join("\n")));
    QVERIFY(checked > 200);
  }

  void a_room_of_the_session_includes_only_what_stands_below() {
    // Headers at the top of the folder are its door: anybody may use them.
    std::map<std::string, std::set<std::string>> const may = {
        {"facts", {}},
        {"views", {}},
        {"project", {}},
        {"model", {"views"}},
        {"cases", {"model", "project", "views"}},
        {"state", {"facts", "model", "project", "views"}},
        {"parts", {"model", "project", "state", "views"}},
        {"queries", {"model", "parts", "state", "views"}},
        {"commands", {"model", "parts", "project", "state"}},
        {"door", {"commands", "model", "parts", "state", "views"}}};
    std::string const top = "engine/session/";
    auto room_of = [&](std::string const& path) {
      std::string rest = path.starts_with(top) ? path.substr(top.size()) : std::string();
      return rest.substr(0, rest.find('/') == rest.npos ? 0 : rest.find('/'));
    };
    int checked = 0;
    for (fs::path const& file : sources("engine/session")) {
      std::string path = fs::relative(file, tw::testing::source()).string(), room = room_of(path);
      if (room.empty()) continue;
      QVERIFY2(may.contains(room), path.c_str());
      for (std::string const& include : includes_of(file)) {
        std::string other = room_of(include);
        ++checked;
        QVERIFY2(other.empty() || other == room || may.at(room).contains(other),
                 (path + " includes " + include).c_str());
      }
    }
    QVERIFY(checked > 100);
  }

  void an_application_includes_the_door_of_the_session_and_what_is_named() {
    auto is_door = [](std::string const& include) {
      return include.starts_with("engine/support/") ||
             (include.starts_with("engine/session/") &&
              include.find('/', std::string("engine/session/").size()) == include.npos);
    };
    QStringList broken;
    int checked = 0;
    for (auto const& [folder, allowed] : kApplicationsMayInclude)
      for (fs::path const& file : sources(folder))
        for (std::string const& include : includes_of(file)) {
          bool known = include.starts_with("app/") || include.starts_with("engine/") ||
                       include.starts_with("widgets/") || include.starts_with("targets/");
          if (!known || is_door(include)) continue;
          ++checked;
          bool may = std::ranges::any_of(
              allowed, [&](std::string const& one) { return include.starts_with(one); });
          if (!may)
            broken << QString::fromStdString(fs::relative(file, tw::testing::source()).string() +
                                             " includes " + include);
        }
    QVERIFY2(broken.isEmpty(), qPrintable(broken.join("\n")));
    QVERIFY(checked > 100);
  }

  void what_the_session_locks_and_casts_only_becomes_less() {
    // What is derived is a query, which needs neither. Lower these figures when there are fewer.
    std::regex const locks("(lock_guard|unique_lock)( |<|\\()"),
        casts("static_cast<Session[A-Z]?[a-z]*&>");
    int locked = 0, cast = 0;
    for (fs::path const& file : sources("engine/session")) {
      std::ifstream stream(file);
      for (std::string line; std::getline(stream, line);) {
        locked += std::regex_search(line, locks);
        cast += std::regex_search(line, casts);
      }
    }
    qInfo("the session locks in %d places and casts in %d", locked, cast);
    QVERIFY(locked > 0 && locked <= kMostLocks);
    QVERIFY(cast <= kMostCasts);
  }

  void the_engine_and_the_targets_know_no_qt() {
    static std::regex const pattern("#\\s*include\\s+<Q[A-Za-z/]+>");
    for (char const* top :
         {"engine", "targets", "app/device_server", "app/code_generator", "app/cli"})
      for (fs::path const& file : sources(top)) {
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);)
          QVERIFY2(!std::regex_search(line, pattern), (file.string() + ": " + line).c_str());
      }
  }

  void only_what_speaks_to_other_machines_knows_grpc() {
    static std::regex const pattern("#\\s*include\\s+[<\"](grpc|.*grpc\\.pb\\.h)");
    int known = 0;
    for (char const* top : {"engine", "targets", "widgets", "app"})
      for (fs::path const& file : sources(top)) {
        std::ifstream stream(file);
        bool inside = file.string().find("/engine/device/rpc/") != std::string::npos;
        for (std::string line; std::getline(stream, line);) {
          bool names = std::regex_search(line, pattern);
          known += names;
          QVERIFY2(!names || inside, (file.string() + ": " + line).c_str());
        }
      }
    QVERIFY(known > 0);
  }

  void one_file_knows_xgboost() {
    static std::regex const pattern("#\\s*include\\s+[<\"]xgboost/");
    std::set<std::string> known;
    for (char const* top : {"engine", "targets", "widgets", "app"})
      for (fs::path const& file : sources(top)) {
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);)
          if (std::regex_search(line, pattern))
            known.insert(fs::relative(file, tw::testing::source()).string());
      }
    QCOMPARE(known, std::set<std::string>{"engine/learning/training/booster.cpp"});
  }

  void one_folder_knows_eigen() {
    static std::regex const pattern("#\\s*include\\s+[<\"](Eigen/|unsupported/Eigen)");
    std::set<std::string> known;
    for (char const* top : {"engine", "targets", "widgets", "app"})
      for (fs::path const& file : sources(top)) {
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);)
          if (std::regex_search(line, pattern))
            known.insert(fs::relative(file, tw::testing::source()).string());
      }
    QCOMPARE(known, std::set<std::string>{"engine/learning/tree_gru/gru_network.h"});
  }

  void nobody_outside_of_it_names_a_target() {
    for (char const* top : {"engine", "widgets", "app"})
      for (fs::path const& file : sources(top))
        for (std::string const& include : includes_of(file)) {
          std::string target = target_of(include);
          QVERIFY2(target.empty(), (file.string() + " includes " + include).c_str());
        }
    // Whoever builds asks the table, too: the folders are found, not listed.
    for (char const* list :
         {"CMakeLists.txt", "app/CMakeLists.txt", "app/window/CMakeLists.txt",
          "app/device_server/CMakeLists.txt", "engine/CMakeLists.txt", "targets/CMakeLists.txt"}) {
      std::ifstream stream(fs::path(tw::testing::source()) / list);
      std::string text((std::istreambuf_iterator<char>(stream)), {});
      QVERIFY2(!text.empty(), list);
      for (auto const& entry :
           fs::directory_iterator(fs::path(tw::testing::source()) / "targets")) {
        std::string name = entry.path().filename().string();
        if (!entry.is_directory() || name == "shared") continue;
        QVERIFY2(text.find("tw_" + name + "_") == std::string::npos, (name + ", " + list).c_str());
      }
    }
  }

  void nobody_outside_of_it_names_a_pane() {
    // Others may ask for what a pane does, by its journal's words; the window asks the table.
    std::string const panes = "app/window/panes/";
    int seen = 0;
    for (char const* top : {"engine", "widgets", "app"})
      for (fs::path const& file : sources(top)) {
        std::string path = fs::relative(file, tw::testing::source()).string();
        for (std::string const& include : includes_of(file)) {
          if (!include.starts_with(panes)) continue;
          ++seen;
          std::string pane = include.substr(0, include.find('/', panes.size()) + 1);
          bool words = include.ends_with("/journal.h") && path.starts_with(panes);
          QVERIFY2(path.starts_with(pane) || words, (path + " includes " + include).c_str());
        }
      }
    QVERIFY(seen >= 10);
    // Nor does the window know the widget of one.
    std::set<std::string> inside, outside;
    for (fs::path const& file : sources("app/window")) {
      std::string path = fs::relative(file, tw::testing::source()).string();
      bool in_pane = path.starts_with(panes) || path.find("/code_panel.") != std::string::npos;
      for (std::string const& include : includes_of(file))
        if (include.starts_with("widgets/") && include.ends_with("_view.h"))
          (in_pane ? inside : outside).insert(include);
    }
    QVERIFY(inside.size() >= 6);
    QVERIFY2(outside.empty(), outside.empty() ? "" : outside.begin()->c_str());
  }

  /// Panes and dialogs know the window by what all of them are given.
  void panes_know_the_window_as_a_workbench() {
    int seen = 0;
    for (char const* folder : {"app/window/panes", "app/window/dialogs"})
      for (fs::path const& file : sources(folder))
        for (std::string const& include : includes_of(file)) {
          seen += include == "app/window/pane.h" || include == "app/window/dialogs/dialog.h";
          QVERIFY2(
              include != "app/window/main_window.h" && !include.starts_with("app/window/parts/"),
              (file.string() + " includes " + include).c_str());
        }
    QVERIFY(seen >= 20);
  }

  /// Two types of one name would be taken for one by the linker, without a word.
  void a_type_is_defined_once() {
    std::regex const opens("^namespace ?([\\w:]*) *\\{"), closes("^\\}.*// namespace");
    std::regex const type("^(?:struct|class|enum class) (\\w+)(?: final)?(?: :[^;]*)? *\\{");
    std::map<std::string, std::string> where;
    for (char const* top : {"engine", "targets", "widgets", "app"})
      for (fs::path const& file : sources(top)) {
        std::vector<std::string> inside;
        std::ifstream stream(file);
        std::smatch match;
        for (std::string line; std::getline(stream, line);) {
          if (std::regex_search(line, match, opens)) inside.push_back(match[1]);
          if (std::regex_search(line, closes) && !inside.empty()) inside.pop_back();
          if (!std::regex_search(line, match, type) || std::ranges::count(inside, "") > 0) continue;
          std::string name = match[1];
          for (size_t i = inside.size(); i-- > 0;) name = inside[i] + "::" + name;
          auto [first, is_new] = where.try_emplace(name, file.string());
          QVERIFY2(is_new, (name + " is in " + first->second + " and in " + file.string()).c_str());
        }
      }
    QVERIFY(where.size() > 500);
  }

  void a_graph_names_no_format_of_models() {
    int formats = 0;
    for (auto const& entry :
         fs::directory_iterator(fs::path(tw::testing::source()) / "engine/importers")) {
      if (!fs::exists(entry.path() / "format.cpp")) continue;
      ++formats;
      std::regex const name(entry.path().filename().string(), std::regex::icase);
      for (fs::path const& file : sources("engine/graph")) {
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);)
          QVERIFY2(!std::regex_search(line, name), (file.string() + ": " + line).c_str());
      }
    }
    QVERIFY(formats >= 1);
  }

  void a_new_primitive_is_one_file_because_nobody_else_names_one() {
    // Only the generated table may name `primitive_<file>::row()`.
    std::set<std::string> names;
    for (fs::path const& file : sources("engine/schedule/primitives"))
      if (file.extension() == ".cpp") names.insert("primitive_" + file.stem().string() + "::");
    QVERIFY(names.size() >= 6);
    for (char const* top : {"engine", "targets", "widgets", "app"})
      for (fs::path const& file : sources(top)) {
        std::ifstream stream(file);
        std::string text((std::istreambuf_iterator<char>(stream)), {});
        for (std::string const& name : names)
          QVERIFY2(text.find(name) == std::string::npos,
                   (file.string() + " names " + name).c_str());
      }
  }

  void nobody_asks_which_primitive_it_is() {
    // What a step does differently is told by its row. Steps are written as script lines elsewhere
    // (rules, repairs), but never compared with a name.
    std::set<std::string> names;
    for (fs::path const& file : sources("engine/schedule/primitives"))
      if (file.extension() == ".cpp") names.insert(file.stem().string());
    static std::regex const compared(
        "(==|!=)\\s*\"([a-z_]+)\"|\"([a-z_]+)\"\\s*(==|!=)|\\{\"([a-z_]+)\",\\s*\"");
    for (char const* top :
         {"engine/schedule", "engine/session", "engine/history", "widgets", "app"})
      for (fs::path const& file : sources(top)) {
        if (file.string().find("/schedule/primitives/") != std::string::npos) continue;
        std::ifstream stream(file);
        std::smatch match;
        for (std::string line; std::getline(stream, line);)
          if (std::regex_search(line, match, compared))
            for (size_t group : {2, 3, 5})
              QVERIFY2(!names.contains(match[group].str()), (file.string() + ": " + line).c_str());
      }
  }

  void colours_are_named_in_the_theme_files_only() {
    static std::regex const pattern(
        "\"#[0-9A-Fa-f]{6}\"|QColor\\(\\s*0x|Qt::(red|blue|green|yellow|cyan|magenta|gray)\\b");
    for (char const* top : {"widgets", "app"})
      for (fs::path const& file : sources(top)) {
        std::ifstream stream(file);
        int number = 0;
        for (std::string line; std::getline(stream, line);) {
          ++number;
          QVERIFY2(!std::regex_search(line, pattern),
                   (file.string() + ":" + std::to_string(number) + ": " + line).c_str());
        }
      }
  }
};

QTEST_GUILESS_MAIN(LayeringTest)
#include "layering_test.moc"
