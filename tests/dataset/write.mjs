// Writes data sets by the Parquet writer of Arrow: several episodes in one file, with a dictionary, compressed, and with missing values:
// node write.mjs MODULES FOLDER
import { createRequire } from 'node:module'
import { mkdirSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [modules, folder] = process.argv.slice(2)
const require = createRequire(pathToFileURL(`${process.cwd()}/${modules}/x`).href)
const arrow = require('apache-arrow'), parquet = require('parquet-wasm')

const FRAMES = 100, EPISODES = 4
const names = ['shoulder_pan.pos', 'shoulder_lift.pos', 'elbow_flex.pos', 'wrist_flex.pos', 'wrist_roll.pos', 'gripper.pos']
const list = type => new arrow.List(new arrow.Field('item', type, true))
const int = values => arrow.vectorFromArray(values.map(BigInt), new arrow.Int64())
const floats = rows => arrow.vectorFromArray(rows, list(new arrow.Float32()))

function write(path, columns, codec, version) {
  const properties = new parquet.WriterPropertiesBuilder().setCompression(codec).setMaxRowGroupSize(150)
    .setDictionaryEnabled(true).setWriterVersion(version).build()
  const table = parquet.Table.fromIPCStream(arrow.tableToIPC(new arrow.Table(columns), 'stream'))
  writeFileSync(path, parquet.writeParquet(table, properties))
}

for (const [name, codec] of [['plain', 'UNCOMPRESSED'], ['snappy', 'SNAPPY'], ['zstd', 'ZSTD'], ['gzip', 'GZIP']]) {
  for (const version of [1, 2]) {
    const root = `${folder}/${name}${version}`
    const put = (path, columns) => write(`${root}/${path}`, columns, parquet.Compression[codec], parquet.WriterVersion[`V${version}`])
    for (const path of ['meta/episodes/chunk-000', 'data/chunk-000']) mkdirSync(`${root}/${path}`, { recursive: true })
    const rows = Array.from({ length: FRAMES * EPISODES }, (_, i) => i), episodes = Array.from({ length: EPISODES }, (_, i) => i)
    const state = rows.map(i => names.map((_, k) => (k + 1) * (i % FRAMES) / 10 + Math.floor(i / FRAMES)))
    put('data/chunk-000/file-000.parquet', {
      'observation.state': floats(state), action: floats(state.map(s => s.map(x => x + 1))),
      timestamp: arrow.vectorFromArray(rows.map(i => i % FRAMES / 20), new arrow.Float32()),
      frame_index: int(rows.map(i => i % FRAMES)), episode_index: int(rows.map(i => Math.floor(i / FRAMES))), index: int(rows),
      task_index: int(rows.map(i => Math.floor(i / FRAMES) % 2)),
      'next.done': arrow.vectorFromArray(rows.map(i => i % FRAMES === FRAMES - 1), new arrow.Bool()),
      reward: arrow.vectorFromArray(rows.map(i => i % 7 ? i / 3 : null), new arrow.Float64()),
    })
    put('meta/tasks.parquet', { task_index: int([0, 1]), __index_level_0__: arrow.vectorFromArray(['pick', 'place'], new arrow.Utf8()) })
    put('meta/episodes/chunk-000/file-000.parquet', {
      episode_index: int(episodes), tasks: arrow.vectorFromArray(episodes.map(i => [['pick', 'place'][i % 2]]), list(new arrow.Utf8())),
      length: int(episodes.map(() => FRAMES)), 'data/chunk_index': int(episodes.map(() => 0)), 'data/file_index': int(episodes.map(() => 0)),
      dataset_from_index: int(episodes.map(i => i * FRAMES)), dataset_to_index: int(episodes.map(i => (i + 1) * FRAMES)),
    })
    const vector = { dtype: 'float32', shape: [6], names }
    writeFileSync(`${root}/meta/info.json`, JSON.stringify({
      codebase_version: 'v3.0', robot_type: 'so101_follower', fps: 20, total_episodes: EPISODES, chunks_size: 1000,
      data_path: 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet', video_path: null,
      features: { 'observation.state': vector, action: vector },
    }))
  }
}
