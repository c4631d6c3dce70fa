// alloc t: f32[900] @global ... t[i]   -->   one workspace; t[i] becomes workspace[offset + i]
#include <map>

#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kAlignment = 64;

/// Gives every allocation outside of registers its place in the workspace.
class Planning : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (s.as<For>()) {
      ++depth_;
      Stmt next = rebuild(s);
      --depth_;
      return next;
    }
    auto const* alloc = s.as<Alloc>();
    if (!alloc || alloc->buffer->scope == "register") return rebuild(s);
    auto count = as_int(alloc->buffer->shape[0]);
    if (!count || depth_ > 0) {
      status_ = refused("allocation_not_supported",
                        "the tensor " + alloc->buffer->name +
                            " is allocated inside of a loop or with a size that is not known; the "
                            "CPU's workspace holds neither");
      return s;
    }
    BufferNode node = *alloc->buffer;
    node.scope = kWorkspaceScope;
    bytes_ = (bytes_ + kAlignment - 1) / kAlignment * kAlignment;
    bytes_ += *count * size_of(node.type);
    auto buffer = std::make_shared<BufferNode const>(std::move(node));
    return make_from<Alloc>(alloc->origin, buffer,
                            visit(replace_buffer(alloc->body, buffer->name, buffer)));
  }
  Status status_;
  int64_t bytes_ = 0;

private:
  int depth_ = 0;
};

Result<KernelIr> run(KernelIr const& kernel, PassContext const&) {
  Planning planning;
  KernelIr result = kernel;
  result.host.body = planning.visit(kernel.host.body);
  TRY(planning.status_);
  return result;
}

}  // namespace

int64_t workspace_bytes(KernelIr const& kernel) {
  int64_t bytes = 0;
  walk(kernel.host.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (alloc && alloc->buffer->scope == kWorkspaceScope)
      bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment +
              as_int(alloc->buffer->shape[0]).value_or(0) * size_of(alloc->buffer->type);
    return true;
  });
  return bytes;
}

Pass plan_workspace() {
  return {"plan_workspace", "Places intermediate tensors in one workspace that the caller provides",
          "last: nothing allocates any more after it", run};
}

}  // namespace tw
