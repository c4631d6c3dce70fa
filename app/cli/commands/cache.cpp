#include <fmt/format.h>

#include "app/cli/output.h"
#include "app/shared/cache_files.h"
#include "app/shared/environment.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_cache {
namespace {

struct Asked {
  bool empty = false, usual_folder = false;
  uint64_t limit = 0;  ///< bytes; 0: it stays
  std::string folder;
};

Json to_json(std::filesystem::path const& folder, CacheContent const& content) {
  return {{"folder", folder.string()},          {"bytes", content.bytes()},
          {"code_bytes", content.code_bytes},   {"kernels", content.entries},
          {"model_bytes", content.model_bytes}, {"limit_bytes", cache_limit(folder)}};
}

int choose(Context const& context, std::string const& folder) {
  auto chosen = choose_cache_folder(folder);
  if (!chosen) return report(context, chosen.error());
  std::string next = chosen->empty() ? cache_folder().path.string() : *chosen;
  if (context.json)
    print({{"next_folder", next}});
  else
    fmt::print("{}: used from the next start on; the old cache stays where it is\n", next);
  return 0;
}

int run(Context const& context, Asked const& asked) {
  if (asked.usual_folder) return choose(context, "");
  if (!asked.folder.empty())
    return choose(context, std::filesystem::absolute(asked.folder).lexically_normal().string());
  std::filesystem::path folder = cache_folder().path;
  if (asked.limit > 0)
    if (Status limited = limit_cache(folder, int64_t(asked.limit)); !limited)
      return report(context, limited.error());
  Freed freed;
  if (asked.empty) freed = empty_cache(folder);
  CacheContent content = content_of_cache(folder);
  if (context.json) {
    Json json = to_json(folder, content);
    if (asked.empty) json["freed_bytes"] = freed.bytes;
    print(json);
    return 0;
  }
  if (asked.empty) fmt::print("{}\n", to_words(freed));
  fmt::print("{}\n{}\nlimit of compiled kernels: {}\n", folder.string(), to_words(content),
             bytes_text(double(cache_limit(folder))));
  return 0;
}

void add_cache(Command app, Context& context) {
  auto command = app.add_subcommand("cache", "show, limit or clear the compile cache");
  auto asked = std::make_shared<Asked>();
  command.add_flag("--empty", asked->empty, "remove what can be rebuilt; measurements are kept");
  command
      .add_option("--limit", asked->limit,
                  "maximum size of compiled kernels, as in 512MB; the least recently used are "
                  "evicted first")
      .type_name("SIZE")
      .bytes();
  auto folder =
      command.add_option("--folder", asked->folder, "use this folder from the next start on")
          .type_name("DIR");
  command.add_flag("--usual-folder", asked->usual_folder, "use the default folder again")
      .excludes(folder);
  command.callback([&context, asked] {
    context.needs_target = false;
    context.run = [&context, asked] { return run(context, *asked); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 147, .add = add_cache};
  return row;
}

}  // namespace tw::cli::command_cache
