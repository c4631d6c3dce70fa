// ONNX bytes -> foreign model -> graph -> the passes that opening a model runs.
#include "engine/graph/pipeline.h"
#include "engine/importers/from_foreign.h"
#include "engine/importers/onnx/reader.h"
#include "tests/fuzz/target.h"
#include "tests/support/blocks_everywhere.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto model = read_onnx(fuzz::text_of(data, size), "fuzz.onnx");
  if (!model) {
    fuzz::check_sentence(model.error());
    return 0;
  }
  (void)to_text(*model);
  auto graph = build_graph(*model);
  if (!graph) {
    fuzz::check_sentence(graph.error());
    return 0;
  }
  ++fuzz::accepted;
  (void)to_text(*graph);
  LayoutChooser const blocks = [](Graph const& one) { return testing::blocks_everywhere(one, 4); };
  for (LayoutChooser const& choose : {LayoutChooser(), blocks})
    if (auto optimized = optimize(*graph, choose))
      (void)to_text(*optimized);
    else
      fuzz::check_sentence(optimized.error());
  return 0;
}
