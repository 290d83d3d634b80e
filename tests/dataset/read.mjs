// Reads a data set as its format says, by hyparquet, and says what it has: node read.mjs MODULES FOLDER
import assert from 'node:assert'
import { createRequire } from 'node:module'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [modules, folder] = process.argv.slice(2)
const require = createRequire(pathToFileURL(`${process.cwd()}/${modules}/x`).href)
const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import(pathToFileURL(require.resolve('hyparquet')).href)

const read = async path => parquetReadObjects({ file: await asyncBufferFromFile(path) })
const json = path => JSON.parse(readFileSync(path, 'utf8'))
const lines = path => readFileSync(path, 'utf8').trim().split('\n').map(line => JSON.parse(line))
const fill = (path, values) =>
  path.replace(/\{(\w+)(?::0(\d+)d)?\}/g, (_, name, digits) => String(values[name]).padStart(digits ?? 0, '0'))
const close = (a, b, what) => assert(Math.abs(a - b) <= 1e-4 * Math.max(1, Math.abs(b)), `${what}: ${a} is not ${b}`)

const info = json(`${folder}/meta/info.json`)
const three = info.codebase_version === 'v3.0'
const episodes = three ? await read(`${folder}/meta/episodes/chunk-000/file-000.parquet`) : lines(`${folder}/meta/episodes.jsonl`)
const tasks = three ? await read(`${folder}/meta/tasks.parquet`) : lines(`${folder}/meta/tasks.jsonl`)
const cameras = Object.keys(info.features).filter(key => info.features[key].dtype === 'video')
const scalars = { timestamp: 'float32', frame_index: 'int64', episode_index: 'int64', index: 'int64', task_index: 'int64' }
for (const [name, dtype] of Object.entries(scalars)) assert.deepEqual(info.features[name], { dtype, shape: [1], names: null })

// of a column of rows: minimum, maximum, mean and deviation of a component
const summary = x => {
  const mean = x.reduce((a, b) => a + b, 0) / x.length
  return { min: Math.min(...x), max: Math.max(...x), mean, std: Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length) }
}
const compare = (stats, rows, what) => {
  for (const key of ['observation.state', 'action', ...Object.keys(scalars)]) {
    const columns = rows.map(row => [row[key]].flat().map(Number))
    assert.deepEqual([stats[key].count].flat().map(Number), [rows.length])
    columns[0].forEach((_, i) => {
      for (const [name, x] of Object.entries(summary(columns.map(c => c[i])))) close(stats[key][name][i], x, `${what} ${key} ${name}`)
    })
  }
}

const all = []
for (const [n, episode] of episodes.entries()) {
  assert.equal(Number(episode.episode_index), n)
  const numbers = { episode_index: n, episode_chunk: 0, chunk_index: episode['data/chunk_index'], file_index: episode['data/file_index'] }
  const rows = await read(`${folder}/${fill(info.data_path, numbers)}`)
  assert.equal(rows.length, Number(episode.length))
  for (const [i, row] of rows.entries()) {
    assert.deepEqual([row.frame_index, row.episode_index, row.index].map(Number), [i, n, all.length])
    close(row.timestamp, i / info.fps, 'timestamp')
    assert.equal(tasks[Number(row.task_index)].task, episode.tasks[0])
    for (const key of ['observation.state', 'action']) {
      assert.equal(row[key].length, info.features[key].shape[0])
      assert.equal(row[key].length, info.features[key].names.length)
    }
    all.push(row)
  }
  if (three) {
    const from = Number(episode.dataset_from_index)
    assert.deepEqual([Number(episode.dataset_to_index) - from, from + rows.length], [rows.length, all.length])
    const stats = {}
    for (const [key, value] of Object.entries(episode)) {
      const [, feature, stat] = key.match(/^stats\/(.*)\/(\w+)$/) ?? []
      if (stat) (stats[feature] ??= {})[stat] = value
    }
    compare(stats, rows, `episode ${n}`)
  } else {
    compare(lines(`${folder}/meta/episodes_stats.jsonl`)[n].stats, rows, `episode ${n}`)
  }
  for (const key of cameras) {
    const video = { ...numbers, video_key: key, chunk_index: episode[`videos/${key}/chunk_index`], file_index: episode[`videos/${key}/file_index`] }
    assert(existsSync(`${folder}/${fill(info.video_path, video)}`), `no video of ${key}`)
  }
}
assert.deepEqual([info.total_episodes, info.total_frames, info.total_tasks], [episodes.length, all.length, tasks.length])
if (three) {
  compare(json(`${folder}/meta/stats.json`), all, 'all')
  const meta = await parquetMetadataAsync(await asyncBufferFromFile(`${folder}/meta/tasks.parquet`))
  const pandas = JSON.parse(meta.key_value_metadata.find(pair => pair.key === 'pandas').value)
  assert.deepEqual(pandas.index_columns, ['task'])
}
console.log(`${info.codebase_version} of ${info.robot_type}: ${episodes.length} episodes, ${all.length} frames, ${tasks.map(t => t.task).join(', ')}; ${cameras.join(' ')}`)
