// Rows of oneDNN for kernel_peer.py, which calls these functions: softmax and layernorm of f32, as
// primitives that are made once.

#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <utility>

namespace {

using Memory = dnnl::memory;

/// A primitive with its arguments, as often as it is run.
struct Work {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::unordered_map<int, Memory> arguments;
};

Memory::desc matrix(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns}, Memory::data_type::f32, Memory::format_tag::ab};
}
Memory::desc vector(std::int64_t columns) {
  return {{columns}, Memory::data_type::f32, Memory::format_tag::a};
}

}  // namespace

extern "C" {

void* rows_softmax(float* x, float* y, std::int64_t rows, std::int64_t columns) {
  auto* work = new Work;
  const Memory::desc layout = matrix(rows, columns);
  const dnnl::softmax_forward::desc wanted(dnnl::prop_kind::forward_inference, layout, 1);
  work->primitive = dnnl::softmax_forward({wanted, work->engine});
  work->arguments = {{DNNL_ARG_SRC, Memory(layout, work->engine, x)},
                     {DNNL_ARG_DST, Memory(layout, work->engine, y)}};
  return work;
}

void* rows_layernorm(float* x, float* scale, float* bias, float* y, std::int64_t rows,
                     std::int64_t columns, float epsilon) {
  auto* work = new Work;
  const Memory::desc layout = matrix(rows, columns);
  const Memory::desc of_columns = vector(columns);
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const dnnl::layer_normalization_forward::desc wanted(dnnl::prop_kind::forward_inference, layout,
                                                       epsilon, flags);
  work->primitive = dnnl::layer_normalization_forward({wanted, work->engine});
  work->arguments = {{DNNL_ARG_SRC, Memory(layout, work->engine, x)},
                     {DNNL_ARG_SCALE, Memory(of_columns, work->engine, scale)},
                     {DNNL_ARG_SHIFT, Memory(of_columns, work->engine, bias)},
                     {DNNL_ARG_DST, Memory(layout, work->engine, y)}};
  return work;
}

void rows_run(void* made) {
  auto* work = static_cast<Work*>(made);
  work->primitive.execute(work->stream, work->arguments);
  work->stream.wait();
}

}  // extern "C"
