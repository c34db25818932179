// Reorders of oneDNN beside the same relayouts and memcpy, in turns: as JSON, for each the medians
// of ratios of paired runs to memcpy, oneDNN's and ours.
//
// Both have as many threads as OMP_NUM_THREADS says, which oneDNN's library reads as it is loaded.
// HEDDLE_MOVE_MB sets the size of the arrays, as in move_bench.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "heddle/move/relayout.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/repackings.h"

namespace {

using namespace heddle;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

std::int64_t number_in(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

struct Reorder {
  std::string name;
  dnnl::memory::dims dims;
  Type type;
  Tag from;
  Tag to;
  notation::RepackingLayouts layouts;
};

std::int64_t bytes_of(Type type) {
  return static_cast<std::int64_t>(dnnl::memory::data_type_size(type));
}

Reorder transpose(Type type, std::int64_t rows, std::int64_t bytes) {
  const std::int64_t columns = bytes / bytes_of(type) / rows;
  const std::string m = std::to_string(rows);
  const std::string n = std::to_string(columns);
  const auto layout = [](const std::string& text) {
    return notation::parse_any_layout(text).value();
  };
  return {"Transpose/bytes:" + std::to_string(bytes_of(type)) + "/rows:" + m,
          {rows, columns},
          type,
          Tag::ab,
          Tag::ba,
          {layout("(" + m + "," + n + "):(" + n + ",1)"),
           layout("(" + m + "," + n + "):(1," + m + ")")}};
}

/// Images of 64 x 56 x 56 elements, as many as fit.
Reorder images(const std::string& name, Type type, Tag from, Tag to, std::int64_t bytes) {
  const std::int64_t count = bytes / bytes_of(type) / (64 * 56 * 56);
  const notation::Repacking repacking = notation::find_repacking(name).value();
  return {name + "/bytes:" + std::to_string(bytes_of(type)),
          {count, 64, 56, 56},
          type,
          from,
          to,
          notation::layouts_of(repacking, {{"N", count}, {"C", 64}, {"H", 56}, {"W", 56}}).value()};
}

Reorder operand(const std::string& name, Type type, Tag to, std::int64_t bytes) {
  const std::int64_t rows = 4096;
  const std::int64_t columns = bytes / bytes_of(type) / rows;
  const notation::Repacking repacking = notation::find_repacking(name).value();
  return {name, {rows, columns},
          type, Tag::ab,
          to,   notation::layouts_of(repacking, {{"K", rows}, {"N", columns}}).value()};
}

double seconds(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> numbers) {
  std::ranges::nth_element(numbers, numbers.begin() + std::ssize(numbers) / 2);
  return numbers[numbers.size() / 2];
}

/// The line of a reorder. Both results are compared.
std::string measured(const Reorder& reorder, int threads) {
  std::int64_t bytes = bytes_of(reorder.type);
  for (const std::int64_t extent : reorder.dims) bytes *= extent;
  const auto size = static_cast<std::size_t>(bytes);
  std::vector<std::byte> source(size);
  // Small numbers of any type, none of which a copy would change.
  for (std::size_t i = 0; i < size; ++i)
    source[i] = static_cast<std::byte>(i * 2654435761U >> 16 & 63);
  std::vector<std::byte> theirs(size);
  std::vector<std::byte> ours(size);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  dnnl::memory from({reorder.dims, reorder.type, reorder.from}, engine, source.data());
  dnnl::memory to({reorder.dims, reorder.type, reorder.to}, engine, theirs.data());
  dnnl::reorder primitive(from, to);
  const move::Plan plan =
      move::make_plan(reorder.layouts.from, reorder.layouts.to, 8 * bytes_of(reorder.type)).value();
  std::vector<double> peer;
  std::vector<double> own;
  for (int i = 0; i < 9; ++i) {
    const double copy = seconds([&] { std::memcpy(ours.data(), source.data(), size); });
    peer.push_back(copy / seconds([&] {
                     primitive.execute(stream, from, to);
                     stream.wait();
                   }));
    own.push_back(copy / seconds([&] {
                    if (!plan.run(source, ours, {.threads = threads})) std::abort();
                  }));
  }
  if (ours != theirs) {
    std::fprintf(stderr, "%s: another answer\n", reorder.name.c_str());
    std::abort();
  }
  return "\"" + reorder.name + "/threads:" + std::to_string(threads) +
         "\": {\"oneDNN\": " + std::to_string(median(peer)) +
         ", \"Heddle\": " + std::to_string(median(own)) + "}";
}

}  // namespace

int main() {
  const std::int64_t bytes = number_in("HEDDLE_MOVE_MB", 16) << 20;
  const int threads = static_cast<int>(number_in("OMP_NUM_THREADS", 1));
  std::vector<Reorder> reorders;
  for (const std::int64_t rows : {3000, 4096}) {
    for (const Type type : {Type::s8, Type::bf16, Type::f32}) {
      reorders.push_back(transpose(type, rows, bytes));
    }
  }
  for (const Type type : {Type::bf16, Type::f32}) {
    reorders.push_back(images("nchw_to_nhwc", type, Tag::nchw, Tag::nhwc, bytes));
    reorders.push_back(images("nhwc_to_nchw", type, Tag::nhwc, Tag::nchw, bytes));
    reorders.push_back(images("nchw_to_nChw16c", type, Tag::nchw, Tag::nChw16c, bytes));
  }
  reorders.push_back(operand("amx_b_bf16", Type::bf16, Tag::BA16a16b2a, bytes));
  reorders.push_back(operand("amx_b_int8", Type::s8, Tag::BA16a16b4a, bytes));
  std::string lines;
  for (const Reorder& reorder : reorders) {
    lines += (lines.empty() ? "" : ",\n ") + measured(reorder, threads);
  }
  std::printf("{%s}\n", lines.c_str());
}
