#include "engine/tuner/study/table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/device/hardware_text.h"

namespace tw {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kVersion = 1;

std::unexpected<Error> bad_line(int line, std::string const& what) {
  return bad_input("bad_table", fmt::format("line {} of the table {}", line, what));
}

Result<Point> point_of(Json const& json, int line) {
  Point point;
  if (!json.is_object()) return bad_line(line, "has no point");
  for (auto const& [name, value] : json.items()) {
    if (!value.is_string()) return bad_line(line, fmt::format("has no word for '{}'", name));
    point[name] = value.get<std::string>();
  }
  return point;
}

Result<StudyTable> head_of(Json const& json) {
  if (!json.is_object() || !json.contains("tilewright_table"))
    return bad_line(1, "is not marked as a table of measured configurations");
  if (json["tilewright_table"] != kVersion)
    return bad_input("unknown_version", fmt::format("the table is of version {}, known is {}",
                                                    json["tilewright_table"].dump(), kVersion));
  for (char const* key : {"kernel", "program", "hardware", "roofs", "pinned", "whole"})
    if (!json.contains(key)) return bad_line(1, fmt::format("has no '{}'", key));
  if (!json["kernel"].is_string() || !json["program"].is_string() || !json["whole"].is_boolean())
    return bad_line(1, "has a kernel, a program or a 'whole' of another kind");
  StudyTable table{.kernel = json["kernel"], .program = json["program"], .whole = json["whole"]};
  TRY_ASSIGN(table.hardware, parse_hardware(json["hardware"].dump()));
  if (!json["roofs"].is_null()) {
    TRY_ASSIGN(table.roofs, parse_roofs(json["roofs"].dump()));
  }
  TRY_ASSIGN(table.pinned, point_of(json["pinned"], 1));
  Json threads = json.value("threads", Json(0));
  if (!threads.is_number_integer() || threads < 0 || threads > 1024)
    return bad_line(1, "has no valid number of threads");
  table.threads = threads;
  return table;
}

Result<TableRow> row_of(Json const& json, int line) {
  if (!json.is_array() || json.size() != 2)
    return bad_line(line, "is not a pair of a time and a configuration");
  TableRow row;
  TRY_ASSIGN(row.point, point_of(json[1], line));
  if (json[0].is_null()) return row;
  if (!json[0].is_number() || !(json[0].get<double>() > 0)) return bad_line(line, "has no time");
  row.seconds = json[0].get<double>();
  return row;
}

}  // namespace

Result<Space> space_of(StudyTable const& table, std::shared_ptr<Backend const> backend) {
  TRY_ASSIGN(ir::Program program, ir::parse_program(table.program, table.kernel));
  std::shared_ptr<Roofs const> roofs;
  if (!table.roofs.compute.empty()) roofs = std::make_shared<Roofs const>(table.roofs);
  return Space(std::move(program), std::move(backend), table.pinned, std::move(roofs),
               table.threads);
}

std::string to_text(StudyTable const& table) {
  Json roofs;
  if (!table.roofs.compute.empty()) roofs = Json::parse(to_json_text(table.roofs));
  Json head = {{"tilewright_table", kVersion},
               {"kernel", table.kernel},
               {"program", table.program},
               {"hardware", Json::parse(to_json_text(table.hardware))},
               {"roofs", roofs},
               {"pinned", Json(table.pinned)},
               {"threads", table.threads},
               {"whole", table.whole}};
  if (table.pinned.empty()) head["pinned"] = Json::object();
  std::string text = head.dump() + "\n";
  for (TableRow const& row : table.rows) {
    Json point = Json::object();
    for (auto const& [name, value] : row.point) point[name] = value;
    Json seconds;
    if (row.seconds) seconds = *row.seconds;
    text += Json::array({seconds, point}).dump() + "\n";
  }
  return text;
}

Result<StudyTable> parse_table(std::string_view text) {
  StudyTable table;
  int line = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    Json json = Json::parse(text.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (json.is_discarded()) return bad_line(++line, "is not JSON");
    if (++line == 1) {
      TRY_ASSIGN(table, head_of(json));
      continue;
    }
    TRY_ASSIGN(TableRow row, row_of(json, line));
    table.rows.push_back(std::move(row));
  }
  if (line == 0) return bad_input("bad_table", "the table is empty");
  return table;
}

}  // namespace tw
