#include "app/cli/study_claims.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "engine/backend/target_table.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli {
namespace {

struct Asked {
  ClaimRow claim;
  ClaimResult result;
  std::string picture;  ///< its file; empty: none was drawn
};

Json numbers(std::vector<double> const& values) {
  Json list = Json::array();
  for (double value : values) list.push_back(std::round(value * 1e5) / 1e5);
  return list;
}

Json json_of(Asked const& asked, int trials) {
  Json tables = Json::array();
  for (auto const& [table, curves] : asked.result.curves) {
    Json arms = Json::array();
    for (Curve const& curve : curves) {
      Band band = band_of(curve, trials);
      arms.push_back({{"arm", curve.arm},
                      {"mean", numbers(band.mean)},
                      {"low", numbers(band.low)},
                      {"high", numbers(band.high)}});
    }
    tables.push_back({{"table", table}, {"curves", arms}});
  }
  Json times = Json::object();
  for (TimedThing const& one : asked.result.times) times[one.name] = one.seconds;
  return {{"claim", asked.claim.key},
          {"title", asked.claim.title},
          {"verdict", name_of(asked.result.verdict)},
          {"sentence", asked.result.sentence},
          {"picture", asked.picture.empty() ? Json() : Json(asked.picture)},
          {"seconds", times},
          {"tables", tables}};
}

/// Tables of one kernel, measured twice, are told apart by a number.
Result<std::vector<StudiedTable>> studied_tables(ClaimArguments const& arguments) {
  std::vector<StudiedTable> tables;
  std::set<std::string> names;
  for (StudyTable const& table : arguments.tables) {
    TRY_ASSIGN(auto backend, create_backend(table.hardware));
    TRY_ASSIGN(StudiedTable one, studied(table, backend, arguments.reference));
    for (int number = 2; !names.insert(one.name).second; ++number)
      one.name = fmt::format("{} ({})", table.kernel, number);
    tables.push_back(std::move(one));
  }
  return tables;
}

Status draw(ClaimArguments const& arguments, Asked& asked) {
  bool empty = asked.result.curves.empty() && asked.result.times.empty();
  if (arguments.folder.empty() || empty) return {};
  std::filesystem::path file =
      std::filesystem::path(arguments.folder) / fmt::format("{}.svg", asked.claim.key);
  asked.picture = file.string();
  return write_output(file,
                      claim_svg(asked.claim, asked.result, arguments.trials, arguments.seeds));
}

Json json_of(ClaimArguments const& arguments, std::vector<StudiedTable> const& tables,
             std::vector<Asked> const& all) {
  Json list = Json::array(), claims = Json::array();
  for (size_t i = 0; i < tables.size(); ++i)
    list.push_back({{"table", tables[i].name},
                    {"points", tables[i].seconds.size()},
                    {"whole", arguments.tables[i].whole},
                    {"best_seconds", tables[i].times.best()},
                    {"reference_seconds", tables[i].reference}});
  for (Asked const& asked : all) claims.push_back(json_of(asked, arguments.trials));
  return {{"trials", arguments.trials},
          {"seeds", arguments.seeds},
          {"tables", list},
          {"claims", claims}};
}

void print_text(ClaimArguments const& arguments, std::vector<StudiedTable> const& tables,
                std::vector<Asked> const& all) {
  for (size_t i = 0; i < tables.size(); ++i)
    fmt::print("{}: {}, {}; the best takes {}\n", tables[i].name,
               count_text(int64_t(tables[i].seconds.size()), "point"),
               arguments.tables[i].whole ? "all there are" : "chosen at random",
               duration_text(tables[i].times.best()));
  fmt::print("{} of {} each; 1 point = 1 % of the best's speed\n",
             count_text(arguments.seeds, "run"), count_text(arguments.trials, "trial"));
  for (Asked const& asked : all) {
    fmt::print("\n{} {}: {}.\n{}\n", asked.claim.key, asked.claim.title,
               name_of(asked.result.verdict), asked.result.sentence);
    if (!asked.picture.empty()) fmt::print("{}\n", asked.picture);
  }
}

}  // namespace

Status study_claims(Context const& context, ClaimArguments arguments) {
  TRY_ASSIGN(std::vector<StudiedTable> tables, studied_tables(arguments));
  ClaimOptions options{.trials = arguments.trials, .seeds = arguments.seeds};
  Progress progress = progress_of(context);
  options.on_run = [&](std::string const& arm, std::string const& table) {
    if (progress) progress({fmt::format("{} on {}", arm, table), 0, 0});
  };
  ClaimStudy study(std::move(tables), std::move(options));
  std::vector<Asked> all;
  for (std::string const& key : arguments.claims) {
    TRY_ASSIGN(ClaimRow claim, find_claim(key));
    TRY_ASSIGN(ClaimResult result, claim.ask(study));
    all.push_back({claim, std::move(result), {}});
    TRY(draw(arguments, all.back()));
  }
  end_progress(context);
  Json json = json_of(arguments, study.tables(), all);
  if (!arguments.folder.empty())
    TRY(write_output(std::filesystem::path(arguments.folder) / "study.json", json.dump(1) + "\n"));
  if (context.json)
    print(json);
  else
    print_text(arguments, study.tables(), all);
  return {};
}

}  // namespace tw::cli
